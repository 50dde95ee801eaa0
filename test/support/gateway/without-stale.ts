/**
 * Attempts without those on a reused connection that was already closed. Such attempts are repeated, and whether a
 * request meets one depends on earlier requests.
 */
export function withoutStale<Attempt extends { readonly reason: string | null }>(
  attempts: readonly Attempt[],
): Attempt[] {
  return attempts.filter(({ reason }) => reason !== 'stale_connection')
}
