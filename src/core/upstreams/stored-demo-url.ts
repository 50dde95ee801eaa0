/** The stored base URL of the demo upstream, which listens on a different port in every process. */
export const storedDemoUrl = 'demo:'
