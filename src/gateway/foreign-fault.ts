import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'

/** These two share one vocabulary of errors. */
const openai: readonly ProtocolName[] = ['chat-completions', 'responses']

const tooLong =
  /prompt is too long|context (?:length|window)|exceeds? the (?:maximum|limit).{0,40}token|input token count/i

/**
 * An upstream's refusal for a caller of another protocol: its message stays, its types and codes mean nothing
 * there and are replaced by the word that the caller's clients know.
 */
export function foreignFault(fault: Fault, from: ProtocolName, to: ProtocolName): Fault {
  if (openai.includes(from) && openai.includes(to)) return fault
  const { upstream } = fault.details
  if (!upstream) return fault
  const words = openai.includes(to)
    ? wordsFor(upstream.status, fault.message, upstream.code)
    : { type: undefined, code: undefined }
  return new Fault(fault.code, fault.message, {
    ...fault.details,
    upstream: { status: upstream.status, ...words },
  })
}

/** The codes that OpenAI's clients act on. */
function wordsFor(status: number, message: string, code: string | undefined) {
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  if (status === 404) return { type: 'invalid_request_error', code: 'model_not_found' }
  if (status === 503 || status === 529)
    return { type: 'server_error', code: 'server_is_overloaded' }
  if (code === 'context_length_exceeded' || (status < 500 && tooLong.test(message))) {
    return { type: 'invalid_request_error', code: 'context_length_exceeded' }
  }
  return status >= 500
    ? { type: 'server_error', code: undefined }
    : { type: 'invalid_request_error', code: undefined }
}
