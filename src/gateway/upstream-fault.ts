import { Fault } from '../core/fault.ts'
import type { Attempt } from './attempt.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import { readBounded } from './read-bounded.ts'

const decoder = new TextDecoder()
const credentialLike = /\b(?:sk|pk|rk|key|AIza)[-_A-Za-z0-9*.]{12,}/g

/** What an upstream that did not answer 200 means for the caller. */
export async function faultOfResponse(
  exchange: Exchange,
  attempt: Attempt,
  response: Response,
): Promise<Fault> {
  const { status } = response
  const bytes = await readBounded(response, limits.faultBytesMax).catch(() => undefined)
  const told = redactFault(
    readFault(exchange, attempt, status, bytes ? decoder.decode(bytes) : ''),
    attempt.candidate.route.upstream.credential,
  )
  const { message } = told
  if (status === 401 || status === 402 || status === 403) {
    return new Fault(
      'upstream_error',
      'The upstream refused the gateway’s own credential. The operator has to renew it.',
      {
        operatorMessage: `upstream ${attempt.candidate.route.upstream.id} answered ${status}: ${message}`,
      },
    )
  }
  if (status >= 400 && status < 500) {
    const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'))
    return new Fault('upstream_rejected', message, {
      ...told.details,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
  }
  return new Fault('upstream_error', message, {
    operatorMessage: `upstream ${attempt.candidate.route.upstream.id} answered ${status}: ${message}`,
    ...(isOverload(status) ? { status: 503, upstream: { status } } : {}),
  })
}

/** 529 is Anthropic's own; every protocol has a word for "too busy, try again". */
function isOverload(status: number): boolean {
  return status === 503 || status === 529
}

function readFault(exchange: Exchange, attempt: Attempt, status: number, bodyText: string): Fault {
  const reader = attempt.passage ?? exchange.protocol.passThrough
  return reader.readFault(status, bodyText)
}

/** What a failed connection, a reset or a stop from our side means for the caller. */
export function faultOfError(attempt: Attempt, error: unknown): Fault {
  if (error instanceof Fault) return error
  const upstreamId = attempt.candidate.route.upstream.id
  const reason = attempt.stopReason
  if (reason === 'upstream_timeout') {
    return new Fault('upstream_timeout', 'The upstream did not answer in time.', {
      operatorMessage: `upstream ${upstreamId} did not answer in time`,
    })
  }
  if (reason === 'draining') {
    return new Fault('unavailable', 'The gateway is stopping. Try again.', { retryAfterSeconds: 1 })
  }
  const why = error instanceof Error ? error.message : String(error)
  return new Fault('upstream_error', 'The connection to the upstream failed before it answered.', {
    operatorMessage: `upstream ${upstreamId}: ${why}`,
  })
}

/** Whether another upstream may do better: not when the request itself is at fault. */
export function isWorthAnotherTry(fault: Fault): boolean {
  if (fault.code === 'upstream_rejected') return fault.status === 408 || fault.status === 429
  return fault.code === 'upstream_error' || fault.code === 'upstream_timeout'
}

/** An upstream's words may quote the credential it was shown; those never reach a caller or a log. */
export function redactFault(fault: Fault, credential: string | undefined): Fault {
  const { upstream } = fault.details
  const clean = (text: string | undefined) => text && redact(text, credential)
  const words = upstream && {
    status: upstream.status,
    type: clean(upstream.type),
    code: clean(upstream.code),
    param: clean(upstream.param),
  }
  return new Fault(fault.code, redact(fault.message, credential), {
    ...fault.details,
    ...(words ? { upstream: words } : {}),
  })
}

function redact(message: string, credential: string | undefined): string {
  const without = credential ? message.replaceAll(credential, '[credential]') : message
  return without.replace(credentialLike, '[credential]')
}

function readRetryAfter(text: string | null): number | undefined {
  if (text === null || !/^\d{1,6}$/.test(text.trim())) return undefined
  return Number(text)
}
