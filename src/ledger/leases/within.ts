/** Resolves with the work, or when its time is over. */
export function within(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void work.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Resolves with the work; rejects when its time is over before. */
export async function inTime(work: Promise<void>, ms: number, why: string): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(() => late.reject(new Error(why)), ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
