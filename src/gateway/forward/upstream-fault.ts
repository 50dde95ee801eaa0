import { Fault } from '../../core/fault.ts'
import { OutgoingFailure, type UpstreamResponse } from '../../http-out/reply.ts'
import { causeOfStatus, type FailureCause } from '../../routing/failure-cause.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Exchange } from '../exchange.ts'
import { limits } from '../limits.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { knownErrorNames } from './known-error-names.ts'
import { redirectFault } from './redirect-fault.ts'
import { readRetryAfter } from './retry-after.ts'

const decoder = new TextDecoder()
const credentialLike = /\b(?:sk|pk|rk|key|AIza)[-_A-Za-z0-9*.]{12,}/g

/** The fault for a response with a status other than 200. */
export async function faultOfResponse(
  exchange: Exchange,
  attempt: FailedAttempt,
  response: UpstreamResponse,
): Promise<Fault> {
  const { status } = response
  const bytes = await response.body.readWhole(limits.faultBytesMax).catch(() => undefined)
  const redirect = redirectFault(attempt, response)
  if (redirect) {
    attempt.upstreamStatus = status
    return redirect
  }
  const reported = readFault(exchange, attempt, status, bytes ? decoder.decode(bytes) : '')
  const fault = faultOfReport(attempt, reported)
  const retryAfterSeconds = readRetryAfter(response.headers, exchange.call.receivedAtMs)
  if (retryAfterSeconds !== undefined) attempt.cooldownMs = retryAfterSeconds * 1_000
  if (fault.code === 'upstream_error') return withoutMessage(fault)
  if (retryAfterSeconds === undefined) return fault
  return new Fault(fault.code, fault.message, { ...fault.details, retryAfterSeconds })
}

/**
 * The fault for an error that an upstream reports, with an error status or within a response that had already begun.
 */
export function faultOfReport(attempt: FailedAttempt, original: Fault): Fault {
  const reported = shortened(original)
  const { route, credential } = attempt.candidate
  const { id } = route.upstream
  const { message, details } = redactFault(reported, credential?.value, attempt.candidate)
  const status = details.upstream?.status ?? reported.status
  const operatorMessage = `upstream ${id} answered ${status}${knownErrorNames(details.upstream)}`
  attempt.upstreamStatus = status
  attempt.cause = causeOf(status, message, details.upstream)
  if (reported.details.retryAfterSeconds !== undefined) {
    attempt.cooldownMs = reported.details.retryAfterSeconds * 1_000
  }
  if (attempt.cause === 'credential') {
    return new Fault(
      'upstream_error',
      'The upstream rejected the gateway’s own credential or account. Ask the operator to fix this.',
      { operatorMessage, isFinal: true },
    )
  }
  if (status >= 400 && status < 500)
    return new Fault('upstream_rejected', message, { ...details, operatorMessage })
  return new Fault('upstream_error', message, {
    ...details,
    operatorMessage,
    status: isOverload(status) ? 503 : 502,
  })
}

/** An error within a response can have megabytes of text. The body of an error status is limited already. */
function shortened(reported: Fault): Fault {
  const { upstream } = reported.details
  const texts = [reported.message, upstream?.type, upstream?.code, upstream?.param]
  if (texts.every((text) => (text ?? '').length <= limits.faultBytesMax)) return reported
  const cut = (text: string | undefined) => text?.slice(0, limits.faultBytesMax)
  return new Fault(reported.code, cut(reported.message) ?? '', {
    ...reported.details,
    ...(upstream
      ? {
          upstream: {
            status: upstream.status,
            type: cut(upstream.type),
            code: cut(upstream.code),
            param: cut(upstream.param),
          },
        }
      : {}),
  })
}

/** A response that never began has only a status. The upstream's type and code would hide the gateway's own reason. */
function withoutMessage(fault: Fault): Fault {
  const { upstream, ...details } = fault.details
  const isBusy = upstream !== undefined && isOverload(upstream.status)
  return new Fault(fault.code, fault.message, {
    ...details,
    ...(isBusy ? { upstream: { status: upstream.status } } : {}),
  })
}

/** The cause of a failure. Usually the status shows it, sometimes only the message. */
function causeOf(
  status: number,
  message: string,
  reported: Fault['details']['upstream'],
): FailureCause {
  if (isOwnCredit(status, message)) return 'credential'
  if (isAboutRequest(status, `${message} ${reported?.code ?? ''} ${reported?.type ?? ''}`))
    return 'request'
  return causeOfStatus(status)
}

/**
 * A refusal because of the request's content, with a status that otherwise means the credential or its limits: input
 * flagged by moderation (403), or one request larger than the whole limit per minute (429).
 */
function isAboutRequest(status: number, text: string): boolean {
  if (status === 403) return /moderation|flagged|content.?(?:policy|filter)|safety/i.test(text)
  return status === 429 && /request too large|too large for/i.test(text)
}

/** Anthropic reports insufficient credit of the operator's account as a bad request. */
function isOwnCredit(status: number, message: string): boolean {
  return status === 400 && /credit balance is too low/i.test(message)
}

/** 529 is Anthropic's own status. Every protocol has an error for "too busy, try again". */
function isOverload(status: number): boolean {
  return status === 503 || status === 529
}

function readFault(
  exchange: Exchange,
  attempt: FailedAttempt,
  status: number,
  bodyText: string,
): Fault {
  const reader = attempt.passage ?? exchange.protocol.passThrough
  return reader.readFault(status, bodyText)
}

/** The fault for a failed connection, a reset, or a stop by the gateway. */
export function faultOfError(attempt: FailedAttempt, error: unknown): Fault {
  if (error instanceof Fault) return error
  const upstreamId = attempt.candidate.route.upstream.id
  const reason = attempt.stopReason
  if (reason === 'upstream_timeout') {
    return new Fault(
      'upstream_timeout',
      'The upstream did not respond in time. Try again, or request fewer output tokens.',
      {
        operatorMessage: `upstream ${upstreamId} did not answer in time`,
      },
    )
  }
  if (reason === 'draining') {
    return new Fault('unavailable', 'The gateway is stopping. Try again.', { retryAfterSeconds: 1 })
  }
  if (error instanceof OutgoingFailure && error.kind === 'stale_connection') {
    attempt.cause = 'connection'
  }
  const why = error instanceof Error ? error.message : String(error)
  return new Fault(
    'upstream_error',
    'The connection to the upstream failed before its response was complete. Try again.',
    {
      operatorMessage: `upstream ${upstreamId}: ${why}`,
    },
  )
}

/** Whether another upstream may succeed: not when the request itself is the cause. */
export function isRetryable(fault: Fault): boolean {
  if (fault.details.isUntranslatable === true) return true
  if (fault.code === 'upstream_rejected') return fault.status === 408 || fault.status === 429
  return fault.code === 'upstream_error' || fault.code === 'upstream_timeout'
}

/**
 * An upstream's message may quote the credential, the upstream's host and its name of the model. The credential must
 * reach neither a client nor a log. The host and the name concern only the operator, and the client knows the model by
 * another name.
 */
export function redactFault(
  fault: Fault,
  credential: string | undefined,
  candidate?: Candidate,
): Fault {
  const { upstream } = fault.details
  const clean = (text: string) => hidePlace(redact(text, credential), candidate)
  const maybe = (text: string | undefined) => text && clean(text)
  const redacted = upstream && {
    status: upstream.status,
    type: maybe(upstream.type),
    code: maybe(upstream.code),
    param: maybe(upstream.param),
  }
  return new Fault(fault.code, clean(fault.message), {
    ...fault.details,
    ...(redacted ? { upstream: redacted } : {}),
  })
}

function redact(message: string, credential: string | undefined): string {
  const without = credential ? message.replaceAll(credential, '[credential]') : message
  return without.replace(credentialLike, '[credential]')
}

function hidePlace(text: string, candidate: Candidate | undefined): string {
  if (!candidate) return text
  const { route, model } = candidate
  const { baseUrl } = route.upstream
  const { host, hostname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { host: '', hostname: '' }
  const hosts = [host, hostname].filter((name) => name !== '')
  const hidden = hosts.reduce((words, name) => words.replaceAll(name, '[upstream]'), text)
  if (route.upstreamModel === model.id) return hidden
  const name = RegExp.escape(route.upstreamModel)
  return hidden.replace(new RegExp(`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`, 'g'), () => model.id)
}
