import type { Credential, Upstream } from '../../catalog/catalog-snapshot.ts'
import { defaultProtocol, type ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import { stopOn } from '../../http-out/stop-switch.ts'
import { vendors } from '../../vendors/index.ts'
import { protocolFor } from '../../vendors/vendor.ts'

/** Requests the model list of an upstream, which is its cheapest call. */
export function requestModels(
  upstream: Upstream,
  credential: Credential | undefined,
  send: SendHttp,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const url = modelsUrlOf(upstream)
  const vendor = vendors.get(upstream.vendor)
  const protocol = protocolOf(upstream)
  if (!vendor || protocol === undefined || url === undefined) {
    return Promise.reject(new Error(`the vendor ${upstream.vendor} is not known`))
  }
  const destination = { baseUrl: upstream.baseUrl, protocol, credential: credential?.value }
  return send({
    method: 'GET',
    url,
    headers: new Headers({ ...vendor.headers(destination), 'accept-encoding': 'identity' }),
    body: undefined,
    stop: stopOn(signal),
    connection: upstream.connection,
    connectMs: upstream.timeouts.connectMs,
  })
}

/** The URL of the list; undefined for a vendor or protocol that this version does not know. */
export function modelsUrlOf(upstream: Upstream): string | undefined {
  const vendor = vendors.get(upstream.vendor)
  const protocol = protocolOf(upstream)
  if (!vendor || protocol === undefined) return undefined
  return vendor.modelsUrl({ baseUrl: upstream.baseUrl, protocol, credential: undefined })
}

/** The protocol in which the upstream is asked; undefined for a vendor or protocol that this version does not know. */
export function protocolOf(upstream: Upstream): ProtocolName | undefined {
  const vendor = vendors.get(upstream.vendor)
  return vendor && protocolFor(vendor, upstream.protocol, defaultProtocol)
}
