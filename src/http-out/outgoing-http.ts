import type { ConnectionOptions } from '../core/connection-options.ts'
import type { AddressDeps } from './checked-addresses.ts'
import { ProxiedClient } from './proxied-client.ts'
import { isPublicAddress } from './public-address.ts'
import { OutgoingFailure, type UpstreamResponse } from './reply.ts'
import { resolveName } from './resolve-name.ts'
import { SocketClient } from './socket-client.ts'
import type { StopSwitch } from './stop-switch.ts'

/** A request to an upstream. It is sent at most once: whether to try again is the gateway's own, counted decision. */
export interface Outgoing {
  /** POST when it is not told. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Made once for many requests where they can be: then their text is, too. */
  readonly headers: Headers
  /** Text, or its bytes in pieces that are written one after another. */
  readonly body: string | readonly Uint8Array[] | undefined
  readonly stop: StopSwitch
  /** Of the upstream; a straight connection to a public address when it is not told. */
  readonly connection?: ConnectionOptions
  readonly connectMs?: number
  /** On a connection that was not used before. */
  readonly isFresh?: boolean
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
  // Not async: a promise more for each request is one that somebody pays for.
  return (outgoing) => {
    const { method = 'POST', url, headers, body = '', stop, isFresh = false } = outgoing
    const { connection = straight, connectMs = connectMsByDefault } = outgoing
    const { proxy, ca } = connection
    // Nobody would hear of a stop that came before there was anything to stop.
    if (stop.isStopped) {
      return Promise.reject(new OutgoingFailure('it was stopped', { kind: 'stopped' }))
    }
    // Nothing of the runtime's opens TLS inside of TLS but its own client.
    return proxy?.startsWith('https:') === true
      ? proxied.send({ method, url, headers, body, stop, proxy, ca })
      : sockets.send({ method, url, headers, body, stop, connection, connectMs, isFresh })
  }
}

export const sendHttp: SendHttp = createSendHttp()
