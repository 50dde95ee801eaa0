/** Resolves after the time, or at once when the signal aborts; it never rejects. */
export function sleepUntilAbort(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, durationMs)
    signal?.addEventListener('abort', finish, { once: true })
    if (signal?.aborted === true) finish()
  })
}
