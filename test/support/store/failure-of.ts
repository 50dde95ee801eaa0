/** The message of a rejected promise. Waits without blocking other threads, which `expect().rejects` does. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('expected a failure, and there was none')
}
