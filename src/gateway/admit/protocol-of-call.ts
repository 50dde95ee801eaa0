import { defaultProtocol, type ProtocolName, protocolNames } from '../../core/protocol-name.ts'
import type { ClientCalls } from '../../protocols/client-calls.ts'
import { protocols } from '../../protocols/index.ts'

const all = protocolNames.map((name): readonly [ProtocolName, ClientCalls] => [
  name,
  protocols[name].clientCalls,
])

/**
 * The protocol whose clients call this path: it decides the shape of every answer, refusals included. Where they
 * share one, as for the model list and all that is not there, they are told apart by their headers.
 */
export function protocolOfCall(headers: Headers, path: string): ProtocolName {
  for (const [name, calls] of all) if (calls.isOwnPath(path)) return name
  return protocolOfHeaders(headers)
}

/** The name under which a key may stand in the query of this path; undefined where it may not. */
export function keyInQueryOf(path: string): string | undefined {
  for (const [, calls] of all) {
    if (calls.keyInQuery !== undefined && calls.isOwnPath(path)) return calls.keyInQuery
  }
  return undefined
}

/** A header that only one protocol's clients send says more than the header in which the key comes. */
function protocolOfHeaders(headers: Headers): ProtocolName {
  for (const [name, { ownHeaders }] of all) {
    if (ownHeaders.some((header) => headers.has(header))) return name
  }
  if (headers.has('authorization')) return defaultProtocol
  for (const [name, { keyHeader }] of all) {
    if (keyHeader !== undefined && headers.has(keyHeader)) return name
  }
  return defaultProtocol
}
