import { lookup } from 'node:dns/promises'
import type { ConnectionOptions } from '../core/network/connection-options.ts'
import type { AddressDeps } from './checked-addresses.ts'
import { ProxiedClient } from './proxied-client.ts'
import { isPublicAddress } from './public-address.ts'
import { OutgoingFailure, type UpstreamResponse } from './reply.ts'
import { SocketClient } from './socket-client.ts'
import type { StopSwitch } from './stop-switch.ts'

/**
 * A request to an upstream, or for a file that a client refers to. It is sent at most once: only the gateway decides
 * about a retry, and counts it.
 */
export interface Outgoing {
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Create the headers once for many requests where possible: they are then encoded only once. */
  readonly headers: Headers
  /** Text, or bytes in pieces that are written one after another. */
  readonly body: string | readonly Uint8Array[] | undefined
  readonly stop: StopSwitch
  /** The upstream's connection options. Default: a direct connection to a public address. */
  readonly connection?: ConnectionOptions
  readonly connectMs?: number
  /** Requires a connection that was not used before. */
  readonly isFresh?: boolean
  /**
   * The URL comes from a client, not from an operator. The gateway looks up the host for this request and checks every
   * address, also a literal one, and the connection carries no other request. Such a request cannot use a proxy, which
   * would resolve the name unchecked.
   */
  readonly isUntrusted?: boolean
}

export type SendHttp = (outgoing: Outgoing) => Promise<UpstreamResponse>

const straight: ConnectionOptions = { proxy: undefined, ca: undefined, allowsPrivate: false }
const connectMsByDefault = 5_000

const systemParts: AddressDeps = {
  monotonicMs: () => performance.now(),
  resolve: resolveName,
  isPublic: isPublicAddress,
}

export function createSendHttp(deps: Partial<AddressDeps> = {}): SendHttp {
  const sockets = new SocketClient({ ...systemParts, ...deps })
  const proxied = new ProxiedClient()
  // Not async, to save one promise for each request.
  return (outgoing) => {
    const { method = 'POST', url, headers, body = '', stop } = outgoing
    const { isFresh = false, isUntrusted = false } = outgoing
    const { connection = straight, connectMs = connectMsByDefault } = outgoing
    const { proxy, ca } = connection
    // A stop before this point has no listener yet, so check for it here.
    if (stop.isStopped) {
      return Promise.reject(new OutgoingFailure('it was stopped', { kind: 'stopped' }))
    }
    if (isUntrusted && proxy !== undefined) {
      return Promise.reject(new Error('a URL from a client must not go through a proxy'))
    }
    // Only the runtime's own client supports TLS inside TLS.
    return proxy?.startsWith('https:') === true
      ? proxied.send({ method, url, headers, body, stop, proxy, ca })
      : sockets.send({
          method,
          url,
          headers,
          body,
          stop,
          connection,
          connectMs,
          isFresh,
          isUntrusted,
        })
  }
}

export const sendHttp: SendHttp = createSendHttp()

/** All addresses of a name, in the order to try. */
async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
