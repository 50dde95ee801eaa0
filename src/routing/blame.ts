/** Who is at fault when an attempt fails: that decides who is taken out, and who may be tried next. */
export type Blame =
  /** The whole upstream, for this model: another upstream may do better. */
  | 'upstream'
  /** The upstream does not take this credential any more; another one may serve. */
  | 'credential'
  /** The credential has reached a limit; another one, or another upstream, may serve. */
  | 'limit'
  /** The request itself: nobody will do better. */
  | 'request'
  /** A kept connection that was being closed: the same upstream may be asked again on a new one, once. */
  | 'connection'
  /** Nobody: it was not sent, or not waited for. */
  | 'nobody'

/** What an upstream's status says. */
export function blameOfStatus(status: number): Blame {
  if (status === 401 || status === 402 || status === 403) return 'credential'
  if (status === 429) return 'limit'
  if (status === 408 || status >= 500 || status < 400) return 'upstream'
  return 'request'
}
