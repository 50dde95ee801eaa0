import { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { openaiFaultBody } from '../openai-fault-body.ts'

export const encodeFault = openaiFaultBody

export function encodeFaultEvent(fault: Fault): string {
  return `data: ${JSON.stringify(openaiFaultBody(fault))}\n\n`
}

/** An upstream's refusal in its own words: OpenAI's shape, and the shapes that compatible servers use instead. */
export function readFault(status: number, bodyText: string): Fault {
  const body = firstObject(parseJson(bodyText)) ?? {}
  const error = isObject(body['error']) ? body['error'] : body
  const message = firstText(
    error['message'],
    error['error'],
    error['detail'],
    firstObject(error['detail'])?.['msg'],
    body['message'],
  )
  const isCallersFault = status >= 400 && status < 500
  return new Fault(
    isCallersFault ? 'upstream_rejected' : 'upstream_error',
    message ?? `The upstream answered with status ${status}.`,
    {
      status,
      upstream: {
        status,
        type: firstText(error['type']),
        code: firstText(error['code']),
        param: firstText(error['param']),
      },
    },
  )
}

/** Google's compatible endpoint wraps its error in a list, FastAPI servers list what is wrong. */
function firstObject(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}

function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}
