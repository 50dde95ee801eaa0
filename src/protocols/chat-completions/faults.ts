import { Fault } from '../../core/fault.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import { openaiFaultBody } from '../openai-fault-body.ts'

export const encodeFault = openaiFaultBody

export function encodeFaultEvent(fault: Fault): string {
  return `data: ${JSON.stringify(openaiFaultBody(fault))}\n\n`
}

/** An upstream's refusal in its own words: OpenAI's shape, and the shapes that compatible servers use instead. */
export function readFault(status: number, bodyText: string): Fault {
  const body = parseJson(bodyText)
  const error =
    isObject(body) && isObject(body['error']) ? body['error'] : isObject(body) ? body : {}
  const message = firstText(
    error['message'],
    error['error'],
    error['detail'],
    isObject(body) ? body['message'] : undefined,
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

function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}
