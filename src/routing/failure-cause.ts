/** The cause of a failed attempt. The cause decides what becomes unavailable, and where the gateway retries. */
export type FailureCause =
  /** The upstream as a whole, for this model. Another upstream may succeed. */
  | 'upstream'
  /** The upstream rejects this credential. Another credential may succeed. */
  | 'credential'
  /** The credential is rate-limited. Another credential or another upstream may succeed. */
  | 'limit'
  /** The request itself. No upstream would succeed. */
  | 'request'
  /** A kept connection that was being closed. The same upstream may be retried once, on a new connection. */
  | 'connection'
  /** No one: the request was not sent, or the gateway stopped waiting. */
  | 'nobody'

/** The cause according to an upstream's status. */
export function causeOfStatus(status: number): FailureCause {
  if (status === 401 || status === 402 || status === 403) return 'credential'
  if (status === 429) return 'limit'
  if (status === 408 || status >= 500 || status < 400) return 'upstream'
  return 'request'
}
