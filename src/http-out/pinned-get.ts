import type { IncomingMessage } from 'node:http'

export interface PinnedGet {
  readonly url: URL
  /** The only addresses that may be connected to, whatever DNS returns by now. */
  readonly addresses: readonly string[]
  readonly signal: AbortSignal
}

/**
 * A GET to addresses that were checked before. The host name stays in the request and in the certificate check, so only
 * the DNS lookup differs from an ordinary GET. Redirects are not followed. The runtime's client is loaded on first use:
 * most gateways fetch nothing.
 */
export async function pinnedGet({ url, addresses, signal }: PinnedGet): Promise<IncomingMessage> {
  const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        // A shared connection may lead to another address.
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
