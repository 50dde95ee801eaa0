/*
 * The one file that speaks HTTP outwards. A POST is sent at most once here: the runtime does not repeat it, and
 * whether to try again is the gateway's own, counted decision.
 */

export interface Outgoing {
  /** POST when it is not told. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  /** Made once for many requests where they can be: that is half the price of sending. */
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
}

export type SendHttp = (outgoing: Outgoing) => Promise<Response>

export const sendHttp: SendHttp = ({ method = 'POST', url, headers, body, signal }) =>
  fetch(url, {
    method,
    headers,
    body: body ?? null,
    signal,
    // A redirect would carry the credential to a place nobody has configured.
    redirect: 'manual',
  })
