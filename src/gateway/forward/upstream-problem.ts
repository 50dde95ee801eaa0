import type { UpstreamProblemCode } from '../../core/codes.ts'
import { Fault } from '../../core/fault.ts'
import { OutgoingFailure } from '../../http-out/reply.ts'
import { redactFault } from './upstream-fault.ts'

export interface UpstreamProblem {
  readonly code: UpstreamProblemCode
  readonly text: string
  /** The original message of the upstream or the operating system. */
  readonly words: string | undefined
}

export const needsCredential: UpstreamProblem = {
  code: 'needs_credential',
  text: 'It has credentials, but none for the host or proxy that it has now; enter them again.',
  words: undefined,
}

export function protocolNotSupported(protocol: string): UpstreamProblem {
  return { code: 'not_spoken', text: `It is not spoken to in ${protocol}.`, words: undefined }
}

/** Why a test failed. A credential quoted by the upstream is redacted. */
export function problemOf(
  error: unknown,
  { status, credential }: { status: number | undefined; credential: string | undefined },
): UpstreamProblem {
  if (error instanceof Fault) return refusedBy(redactFault(error, credential), status)
  const code = error instanceof OutgoingFailure ? error.kind : 'unreachable'
  // Only the timeout stops a test.
  if (code === 'stopped') {
    return { code: 'too_late', text: 'It did not answer in time.', words: undefined }
  }
  const words = error instanceof Error ? error.message : String(error)
  return { code, text: `It cannot be reached: ${words}`, words }
}

function refusedBy({ message, details }: Fault, status: number | undefined): UpstreamProblem {
  const { upstream } = details
  if (upstream && details.isSilent !== true)
    return { code: 'refused', text: message, words: message }
  const code = status === 200 ? 'unreadable' : 'refused_silently'
  return { code, text: message, words: undefined }
}
