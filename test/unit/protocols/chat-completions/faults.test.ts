import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { readStreamFault } from '../../../../src/protocols/chat-completions/faults.ts'
import { chatCompletions } from '../../../../src/protocols/chat-completions/index.ts'
import { passThrough } from './helpers.ts'

type Row = [name: string, body: unknown, seconds: number | undefined]

const waits: Row[] = [
  ['milliseconds', { error: { message: 'Please try again in 644ms. Visit x' } }, 1],
  ['seconds', { error: { message: 'try again in 20.5s' } }, 21],
  ['minutes and seconds', { error: { message: 'Please try again in 6m0s.' } }, 360],
  ['hours', { error: { message: 'try again in 1h2m3s' } }, 3_723],
  [
    'Google',
    [{ error: { code: 429, message: 'm', details: [{ '@type': 'x' }, { retryDelay: '34s' }] } }],
    34,
  ],
  [
    'OpenRouter',
    { error: { code: 429, message: 'm', metadata: { headers: { 'Retry-After': '7' } } } },
    7,
  ],
  [
    'OpenRouter, in lower case',
    { error: { code: 429, message: 'm', metadata: { headers: { 'retry-after': '8' } } } },
    8,
  ],
  ['no wait in the error', { error: { message: 'Rate limit reached' } }, undefined],
]

describe('the wait that an upstream reports', () => {
  test.each(waits)('%s', (_, body, seconds) => {
    const fault = passThrough.readFault(429, JSON.stringify(body))
    expect(fault.code).toBe('upstream_rejected')
    expect(fault.details.retryAfterSeconds).toBe(seconds)
  })
})

describe('the status of an error inside a stream', () => {
  const rows: [name: string, error: object, status: number][] = [
    ['a number in status', { message: 'm', status: 503 }, 503],
    ['a number in code', { message: 'm', code: 429 }, 429],
    ['a word in status', { message: 'm', status: 'RESOURCE_EXHAUSTED' }, 429],
    ['a word in type', { message: 'm', type: 'invalid_request_error' }, 400],
    ['a word in code', { message: 'm', code: 'context_length_exceeded' }, 400],
    ['an unknown value', { message: 'm', status: 'odd' }, 502],
  ]
  test.each(rows)('%s', (_, error, status) => {
    const fault = readStreamFault(JSON.stringify({ error }))
    expect([fault.message, fault.details.status]).toEqual(['m', status])
  })

  test('the message may be beside the error', () => {
    const fault = readStreamFault(JSON.stringify({ error: { code: 503 }, message: 'late' }))
    expect([fault.message, fault.details.status]).toEqual(['late', 503])
  })
})

describe('an upstream’s error in the chat format', () => {
  test('its own text, with our reason', () => {
    const body = {
      error: { message: 'm', type: 'tokens', code: 'rate_limit_exceeded', param: null },
    }
    const fault = passThrough.readFault(429, JSON.stringify(body))
    expect(chatCompletions.encodeFault(fault, 'req-1')).toEqual({
      error: {
        message: 'm',
        type: 'tokens',
        code: 'rate_limit_exceeded',
        param: null,
        reason: 'upstream_rejected',
      },
    })
  })

  const foreign: [status: number, type: string, code: string | undefined, expected: object][] = [
    [400, 'INVALID_ARGUMENT', '400', { type: 'invalid_request_error', code: 'upstream_rejected' }],
    [429, 'rate_limit_error', undefined, { type: 'requests', code: 'rate_limit_exceeded' }],
    [529, 'overloaded_error', undefined, { type: 'server_error', code: 'upstream_error' }],
    [
      404,
      'not_found_error',
      undefined,
      { type: 'invalid_request_error', code: 'upstream_rejected' },
    ],
    [
      400,
      'invalid_request_error',
      'context_length_exceeded',
      { type: 'invalid_request_error', code: 'context_length_exceeded' },
    ],
  ]

  test.each(foreign)(
    '%d %s %s: no type or code that a client does not know',
    (status, type, code, expected) => {
      const reason = status < 500 ? 'upstream_rejected' : 'upstream_error'
      const fault = new Fault(reason, 'm', { status, upstream: { status, type, code } })
      expect(chatCompletions.encodeFault(fault, 'req-1')).toEqual({
        error: { message: 'm', param: null, reason, ...expected },
      })
    },
  )
})
