/**
 * Attempts but those on a kept connection that was closed, which are repeated: whether a request meets one depends on
 * what was asked before.
 */
export function withoutStale<Attempt extends { readonly reason: string | null }>(
  attempts: readonly Attempt[],
): Attempt[] {
  return attempts.filter(({ reason }) => reason !== 'stale_connection')
}
