import { Fault } from '../../core/fault.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { CallRow, EndpointKind, RequestLine } from '../../protocols/client-calls.ts'
import { protocols } from '../../protocols/index.ts'
import { explainUnknownPath } from '../explain-unknown-path.ts'

/** The methods that a path accepts; undefined for an unknown path. */
export function methodsOf(path: string, protocol: ProtocolName): readonly string[] | undefined {
  const known = knownPath(path, protocol)
  return rowsOf(protocol).find((row) => row.path.test(known))?.methods
}

export function findEndpoint(call: RequestLine, protocol: ProtocolName): EndpointKind {
  const { method, path } = call
  const known = knownPath(path, protocol)
  for (const row of rowsOf(protocol)) {
    const match = row.path.exec(known)
    if (!match) continue
    const takes = row.methods.includes(method) || (method === 'HEAD' && row.methods.includes('GET'))
    if (takes) return row.open(match, call)
    throw new Fault(
      'method_not_allowed',
      `${path} takes ${row.methods.join(' or ')}, not ${method}.`,
      {
        headers: { allow: row.methods.join(', ') },
      },
    )
  }
  throw new Fault('not_found', explainUnknownPath(method, path))
}

function rowsOf(protocol: ProtocolName): readonly CallRow[] {
  return protocols[protocol].clientCalls.rows
}

function knownPath(path: string, protocol: ProtocolName): string {
  return protocols[protocol].clientCalls.knownPath?.(path) ?? path
}
