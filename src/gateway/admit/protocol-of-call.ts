import {
  defaultProtocol,
  type ProtocolName,
  protocolNames,
} from '../../core/neutral/protocol-name.ts'
import type { ClientCalls } from '../../protocols/client-calls.ts'
import { protocols } from '../../protocols/index.ts'

const all = protocolNames.map((name): readonly [ProtocolName, ClientCalls] => [
  name,
  protocols[name].clientCalls,
])

/**
 * The protocol of the clients that call this path. It decides the format of every response, including refusals. On
 * shared paths, such as the model list, and on unknown paths, the headers decide.
 */
export function protocolOfCall(headers: Headers, path: string): ProtocolName {
  for (const [name, calls] of all) if (calls.isOwnPath(path)) return name
  return protocolOfHeaders(headers)
}

/** The query parameter that may contain a key on this path; undefined where none may. */
export function keyInQueryOf(path: string): string | undefined {
  for (const [, calls] of all) {
    if (calls.keyInQuery !== undefined && calls.isOwnPath(path)) return calls.keyInQuery
  }
  return undefined
}

/** A header that only one protocol's clients send is a stronger sign than the header that contains the key. */
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
