/** Resolves when the work is done or the time is over; rejects when the work fails before. */
export async function waitAtMost(work: Promise<void> | undefined, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when the work is done; rejects when the time is over first. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  why: string,
): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(why)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
