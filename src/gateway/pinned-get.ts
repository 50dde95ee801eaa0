import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'

export interface PinnedGet {
  readonly url: URL
  /** The only addresses that may be connected to, whatever a name server says by now. */
  readonly addresses: readonly string[]
  readonly signal: AbortSignal
}

/**
 * A GET that goes to addresses which were looked at before. The name stays in the request and in the check of
 * the certificate, so nothing but the look-up differs from an ordinary one. Redirects are not followed.
 */
export function pinnedGet({ url, addresses, signal }: PinnedGet): Promise<IncomingMessage> {
  const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        // A connection of somebody else's may lead to another address.
        agent: false,
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'tollgate' },
        lookup: (_name, options, done) => {
          const [first] = answers
          if (options.all) done(null, answers)
          else done(null, first?.address ?? '', first?.family)
        },
        signal,
      },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}
