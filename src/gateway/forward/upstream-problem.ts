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
  return {
    code: 'not_spoken',
    text: `The gateway does not use the ${protocol} protocol for this upstream.`,
    words: undefined,
  }
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
  return { code, text: `${failures[code] ?? 'It cannot be reached'}: ${words}`, words }
}

/** Failures after the upstream has been reached. */
const failures: Partial<Record<UpstreamProblemCode, string>> = {
  tls_failed: 'The TLS connection failed',
  closed_before_answer: 'It closed the connection before it responded',
  cut_short: 'It closed the connection in the middle of its response',
  bad_answer: 'Its response is not valid HTTP',
}

function refusedBy({ message, details }: Fault, status: number | undefined): UpstreamProblem {
  const isSilent = details.upstream === undefined || details.isSilent === true
  if (isSilent && status === 200) return { code: 'unreadable', text: message, words: undefined }
  const silence = status === undefined ? undefined : `HTTP ${status}`
  const words = isSilent ? silence : message
  if (status === 401) return { code: 'credential_rejected', text: message, words }
  return { code: isSilent ? 'refused_silently' : 'refused', text: message, words }
}
