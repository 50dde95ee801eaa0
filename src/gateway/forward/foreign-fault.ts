import { Fault } from '../../core/fault.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'

const noCodes = { type: undefined, code: undefined }

/**
 * Rewrites an upstream's refusal for a client of another protocol. The message stays. The upstream's types and codes
 * mean nothing to that client, so they are replaced by those of its protocol.
 */
export function foreignFault(fault: Fault, from: ProtocolName, to: ProtocolName): Fault {
  const clientProtocol = protocols[to]
  if (protocols[from].family === clientProtocol.family) return fault
  const { upstream } = fault.details
  if (!upstream) return fault
  const codes =
    clientProtocol.errorCodesOf?.(upstream.status, fault.message, upstream.code) ?? noCodes
  return new Fault(fault.code, fault.message, {
    ...fault.details,
    upstream: { status: upstream.status, ...codes },
  })
}
