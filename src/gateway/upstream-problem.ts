import { Fault } from '../core/fault.ts'
import { type FailureKind, OutgoingFailure } from '../outgoing/reply.ts'
import { redactFault } from './upstream-fault.ts'

/** What can be wrong with an upstream that is tested: what keeps an answer from coming, and what answers can be. */
type ProblemCode =
  | Exclude<FailureKind, 'stopped'>
  | 'needs_credential'
  | 'not_spoken'
  | 'too_late'
  | 'refused'
  | 'refused_silently'
  | 'unreadable'
  | 'unreachable'

export interface UpstreamProblem {
  readonly code: ProblemCode
  /** One sentence. */
  readonly text: string
  /** What the upstream, or the system, has said itself. */
  readonly words: string | undefined
}

export const needsCredential: UpstreamProblem = {
  code: 'needs_credential',
  text: 'It has credentials, but none for the host or proxy that it has now; enter them again.',
  words: undefined,
}

export function notSpoken(protocol: string): UpstreamProblem {
  return { code: 'not_spoken', text: `It is not spoken to in ${protocol}.`, words: undefined }
}

/** Why a test came to nothing; an upstream that quotes the credential that it was shown is not repeated. */
export function problemOf(
  error: unknown,
  { status, credential }: { status: number | undefined; credential: string | undefined },
): UpstreamProblem {
  if (error instanceof Fault) return refusedBy(redactFault(error, credential), status)
  const code = error instanceof OutgoingFailure ? error.kind : 'unreachable'
  // Only the time that it had stops a test.
  if (code === 'stopped') {
    return { code: 'too_late', text: 'It did not answer in time.', words: undefined }
  }
  const words = error instanceof Error ? error.message : String(error)
  return { code, text: `It cannot be reached: ${words}`, words }
}

function refusedBy({ message, details }: Fault, status: number | undefined): UpstreamProblem {
  const { upstream } = details
  // Every protocol says this for an upstream that has no words of its own.
  const isSilent = message === `The upstream answered with status ${upstream?.status}.`
  if (upstream && !isSilent) return { code: 'refused', text: message, words: message }
  const code = status === 200 ? 'unreadable' : 'refused_silently'
  return { code, text: message, words: undefined }
}
