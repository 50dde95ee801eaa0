import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import {
  encodeFaultEvent,
  failureOf,
  readFault,
  readStreamFault,
} from '../../../../src/protocols/responses/faults.ts'
import { eventsIn } from './helpers.ts'

describe('an upstream’s refusal', () => {
  const bodies: [string, number, unknown, string, Record<string, unknown>][] = [
    [
      'OpenAI',
      400,
      { error: { message: 'no such', type: 'invalid_request_error', param: 'model', code: 'x' } },
      'no such',
      { status: 400, type: 'invalid_request_error', param: 'model', code: 'x' },
    ],
    [
      'Azure',
      404,
      { error: { code: 'DeploymentNotFound', message: 'none' } },
      'none',
      { status: 404, code: 'DeploymentNotFound' },
    ],
    [
      'OpenRouter',
      429,
      { error: { code: 429, message: 'slow', metadata: {} } },
      'slow',
      { status: 429, code: '429' },
    ],
    ['xAI', 400, { code: 'bad', error: 'a sentence' }, 'a sentence', { status: 400, code: 'bad' }],
    ['a detail as text', 401, { detail: 'sign in' }, 'sign in', { status: 401 }],
    ['a list of details', 422, { detail: [{ msg: 'missing' }] }, 'missing', { status: 422 }],
    ['a list', 400, [{ error: { message: 'in a list' } }], 'in a list', { status: 400 }],
    ['an unreadable body', 500, 'oops', 'The upstream answered with status 500.', { status: 500 }],
  ]
  test.each(bodies)('%s', (_, status, body, message, words) => {
    const fault = readFault(status, typeof body === 'string' ? body : JSON.stringify(body))
    expect(fault.message).toBe(message)
    expect(fault.code).toBe(status < 500 ? 'upstream_rejected' : 'upstream_error')
    expect(fault.status).toBe(status)
    expect(JSON.parse(JSON.stringify(fault.details.upstream))).toEqual(words)
  })

  const hints: [string, number | undefined][] = [
    ['Please try again in 644ms.', 1],
    ['Please try again in 1.2s. Visit', 2],
    ['try again in 6m0s', 360],
    ['try again in 1h2m3s', 3723],
    ['Please try again later', undefined],
    ['no hint', undefined],
  ]
  test.each(hints)('%s: the wait before a retry', (message, seconds) => {
    const fault = readFault(429, JSON.stringify({ error: { message } }))
    expect(fault.details.retryAfterSeconds).toBe(seconds)
    const other = readFault(400, JSON.stringify({ error: { message } }))
    expect(other.details.retryAfterSeconds).toBeUndefined()
  })
})

describe('the code of a failed response', () => {
  const known = [
    'bio_policy',
    'context_length_exceeded',
    'insufficient_quota',
    'invalid_prompt',
    'rate_limit_exceeded',
    'server_error',
    'server_is_overloaded',
    'slow_down',
    'usage_not_included',
  ]
  // The status alone would give another code than the upstream's.
  test.each(known)('%s of the upstream stays', (code) => {
    const status = code === 'server_error' ? 429 : 500
    const fault = new Fault('upstream_error', 'm', { status, upstream: { status, code } })
    expect(failureOf(fault)).toEqual({ code, message: 'm' })
  })

  const others: [status: number, code: string][] = [
    [429, 'rate_limit_exceeded'],
    [503, 'server_is_overloaded'],
    [529, 'server_is_overloaded'],
    [400, 'invalid_prompt'],
    [502, 'server_error'],
  ]
  test.each(others)('an unknown code with status %d is %s', (status, code) => {
    const fault = new Fault('upstream_error', 'm', { status, upstream: { status, code: 'odd' } })
    expect(failureOf(fault).code).toBe(code)
  })
})

describe('a failure inside a stream counts as a status', () => {
  const events: [string, unknown, number, string][] = [
    [
      'nested',
      { type: 'error', error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'a' } },
      429,
      'a',
    ],
    ['flat', { type: 'error', code: 'server_error', message: 'b', param: null }, 502, 'b'],
    [
      'no quota left',
      { type: 'error', error: { code: 'insufficient_quota', message: 'c' } },
      429,
      'c',
    ],
    [
      'overloaded',
      { type: 'error', error: { code: 'server_is_overloaded', message: 'd' } },
      503,
      'd',
    ],
    [
      'a prompt that is too long',
      { type: 'error', error: { code: 'context_length_exceeded', message: 'e' } },
      400,
      'e',
    ],
    ['a number as the code', { type: 'error', error: { code: 504, message: 'f' } }, 504, 'f'],
    [
      'a bad image',
      { type: 'error', error: { code: 'invalid_image_url', message: 'g' } },
      400,
      'g',
    ],
    [
      'failed',
      {
        type: 'response.failed',
        response: { error: { code: 'rate_limit_exceeded', message: 'h' } },
      },
      429,
      'h',
    ],
    [
      'a failure without a message',
      { type: 'response.failed', response: { error: null } },
      502,
      'The upstream failed while it was answering.',
    ],
  ]
  test.each(events)('%s', (_, event, status, message) => {
    const fault = readStreamFault(event)
    expect(fault.status).toBe(status)
    expect(fault.message).toBe(message)
    expect(fault.code).toBe(status < 500 ? 'upstream_rejected' : 'upstream_error')
  })
})

describe('a failure once the stream has begun', () => {
  test('the error, nested and flat, and then a response that failed', () => {
    const [error, failed, ...rest] = eventsIn(
      encodeFaultEvent(new Fault('upstream_timeout', 'too slow'), 'req_7'),
    )
    expect(rest).toEqual([])
    expect(error).toEqual({
      type: 'error',
      code: 'upstream_timeout',
      message: 'too slow',
      param: null,
      error: { message: 'too slow', type: 'server_error', param: null, code: 'upstream_timeout' },
      sequence_number: 0,
    })
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: 1,
      response: {
        status: 'failed',
        error: { code: 'server_error', message: 'too slow' },
        output: [],
      },
    })
  })

  const codes: [string, Fault, string][] = [
    ['a rate limit', new Fault('rate_limit_exceeded', 'x'), 'rate_limit_exceeded'],
    ['an overload', new Fault('upstream_error', 'x', { status: 529 }), 'server_is_overloaded'],
    ['a bad prompt', new Fault('upstream_rejected', 'x'), 'invalid_prompt'],
    [
      'a conversation that is too long',
      new Fault('upstream_rejected', 'x', {
        upstream: { status: 400, code: 'context_length_exceeded' },
      }),
      'context_length_exceeded',
    ],
    [
      'an unknown code',
      new Fault('upstream_error', 'x', { upstream: { status: 500, code: 'E_ODD' } }),
      'server_error',
    ],
  ]
  test.each(codes)('%s has the text that agents look for', (_, fault, code) => {
    const failed = eventsIn(encodeFaultEvent(fault, 'r')).at(-1)
    expect(failed).toMatchObject({ response: { error: { code } } })
  })
})
