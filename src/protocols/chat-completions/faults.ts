import { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../wire/json.ts'
import { firstObject, firstText, messageOfStatus, silentErrorMessage } from '../fault-message.ts'
import { openaiFaultBody } from '../openai/fault-body.ts'
import { readWaitInDetails, readWaitInText, wholeSeconds } from '../reported-wait.ts'

export const encodeFault = openaiFaultBody

export function encodeFaultEvent(fault: Fault): string {
  return `data: ${JSON.stringify(openaiFaultBody(fault))}\n\n`
}

/** An upstream's refusal with its own message: OpenAI's shape, and the shapes that compatible servers use instead. */
export function readFault(status: number, bodyText: string): Fault {
  return faultOf(status, firstObject(parseJson(bodyText)) ?? {}, messageOfStatus(status))
}

/** An error inside a reply with status 200. It gets the status that its code names. */
export function readStreamFault(data: string): Fault {
  const body = firstObject(parseJson(data)) ?? {}
  return faultOf(statusOf(errorIn(body)), body, silentErrorMessage)
}

function faultOf(status: number, body: JsonObject, defaultMessage: string): Fault {
  const error = errorIn(body)
  const message = firstText(
    error['message'],
    error['error'],
    error['detail'],
    firstObject(error['detail'])?.['msg'],
    body['message'],
  )
  const isCallersFault = status >= 400 && status < 500
  const waitSeconds = retryAfterSeconds(status, error, message)
  return new Fault(
    isCallersFault ? 'upstream_rejected' : 'upstream_error',
    message ?? defaultMessage,
    {
      status,
      isSilent: message === undefined,
      ...(waitSeconds === undefined ? {} : { retryAfterSeconds: waitSeconds }),
      upstream: {
        status,
        type: firstText(error['type']),
        code: firstText(error['code']),
        param: firstText(error['param']),
      },
    },
  )
}

function errorIn(body: JsonObject): JsonObject {
  return isObject(body['error']) ? body['error'] : body
}

/** A number is the status itself: a status (Azure) or a code (OpenRouter, Google). Otherwise the error type decides. */
function statusOf(error: JsonObject): number {
  for (const value of [error['status'], error['code']]) {
    const status = Number(value)
    if (Number.isInteger(status) && status >= 400 && status < 600) return status
  }
  const codes = [error['type'], error['code'], stringAt(error, 'status')].join(' ').toLowerCase()
  return codeStatuses.find(([pattern]) => pattern.test(codes))?.[1] ?? 502
}

const codeStatuses: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|too_many|resource_exhausted|insufficient_quota|\brequests\b|\btokens\b/, 429],
  [/overloaded|slow_down|unavailable|capacity/, 503],
  [/timeout|deadline/, 504],
  [/invalid|context_length|content_filter|bad_request|unsupported/, 400],
]

/** The wait that the error itself reports: OpenAI in the message, Google in `RetryInfo`, OpenRouter in headers. */
function retryAfterSeconds(status: number, error: JsonObject, message: string | undefined) {
  return readWaitInText(status, message) ?? readWaitInDetails(error['details']) ?? headerWait(error)
}

function headerWait(error: JsonObject): number | undefined {
  const headers = objectAt(objectAt(error, 'metadata') ?? {}, 'headers') ?? {}
  const seconds = Number(headers['Retry-After'] ?? headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? wholeSeconds(seconds) : undefined
}
