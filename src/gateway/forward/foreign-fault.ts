import { Fault } from '../../core/fault.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'

const noWords = { type: undefined, code: undefined }

/**
 * An upstream's refusal for a caller of another protocol: its message stays, its types and codes mean nothing
 * there and are replaced by the word that the caller's clients know.
 */
export function foreignFault(fault: Fault, from: ProtocolName, to: ProtocolName): Fault {
  const theirs = protocols[to]
  if (protocols[from].family === theirs.family) return fault
  const { upstream } = fault.details
  if (!upstream) return fault
  const words = theirs.foreignWords?.(upstream.status, fault.message, upstream.code) ?? noWords
  return new Fault(fault.code, fault.message, {
    ...fault.details,
    upstream: { status: upstream.status, ...words },
  })
}
