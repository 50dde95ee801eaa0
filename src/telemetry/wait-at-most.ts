/** Waits for the work to end, but not longer than the time. */
export async function waitAtMost(work: Promise<void> | undefined, ms: number): Promise<void> {
  const deadline = Promise.withResolvers<void>()
  const timer = setTimeout(deadline.resolve, ms)
  await Promise.race([work, deadline.promise])
  clearTimeout(timer)
}
