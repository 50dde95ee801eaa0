/** The message with which a promise fails. Waits without blocking, which `expect().rejects` does to other threads. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('expected a failure, and there was none')
}
