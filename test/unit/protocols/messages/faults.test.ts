import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { decodeStream, sse, upstreamContext } from './helpers.ts'

type Row = [
  name: string,
  status: number,
  body: string,
  message: string,
  words: Record<string, unknown>,
]

const rows: Row[] = [
  [
    'Anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"},"request_id":"req_1"}',
    'prompt is too long',
    { type: 'invalid_request_error' },
  ],
  [
    'an error of the edge, without the outer type',
    413,
    '{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    'Request exceeds the maximum size',
    { type: 'request_too_large' },
  ],
  [
    'details with the reason',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"m","details":{"error_code":"c"}}}',
    'm',
    { code: 'c' },
  ],
  ['Bedrock', 400, '{"message":"Malformed input request"}', 'Malformed input request', {}],
  [
    'Vertex, in a list',
    429,
    '[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}]',
    'Quota exceeded',
    { type: 'RESOURCE_EXHAUSTED', code: '429' },
  ],
  ['a compatible server', 404, '{"error":"no such model"}', 'no such model', {}],
  ['FastAPI', 422, '{"detail":"Unprocessable"}', 'Unprocessable', {}],
  ['not JSON', 529, '<html>', 'The upstream answered with status 529.', {}],
  ['nothing', 500, '', 'The upstream answered with status 500.', {}],
]

describe('messages: an upstream’s refusal', () => {
  test.each(rows)('%s, %d', (_, status, body, message, words) => {
    const fault = messages.passThrough.readFault(status, body)
    expect(fault.message).toBe(message)
    expect(fault.status).toBe(status)
    expect(fault.code).toBe(status < 500 ? 'upstream_rejected' : 'upstream_error')
    expect(fault.details.upstream).toMatchObject({ status, ...words })
  })

  test('Google says in the body how long to wait', () => {
    const body =
      '{"error":{"code":429,"message":"m","details":[{"@type":"x.RetryInfo","retryDelay":"34s"}]}}'
    expect(messages.passThrough.readFault(429, body).details.retryAfterSeconds).toBe(34)
  })

  test('a foreign error type is never copied', () => {
    const fault = new Fault('upstream_rejected', 'm', {
      status: 429,
      upstream: { status: 429, type: 'tokens', code: 'insufficient_quota' },
    })
    const body = messages.encodeFault(fault, 'req-1')
    expect(body).toMatchObject({ error: { type: 'rate_limit_error', message: 'm' } })
    expect(JSON.stringify(body)).not.toContain('tokens')
    expect(JSON.stringify(body)).not.toContain('insufficient_quota')
  })

  const statuses: [status: number, type: string][] = [
    [400, 'invalid_request_error'],
    [402, 'billing_error'],
    [405, 'invalid_request_error'],
    [422, 'invalid_request_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ]
  test.each(statuses)('status %d becomes %s', (status, type) => {
    const fault = new Fault('upstream_error', 'm', { status })
    expect(messages.encodeFault(fault, 'r')).toMatchObject({ error: { type } })
  })
})

describe('messages: a failure inside a stream', () => {
  const types: [type: string | undefined, status: number, code: string][] = [
    ['overloaded_error', 529, 'upstream_error'],
    ['rate_limit_error', 429, 'upstream_rejected'],
    ['invalid_request_error', 400, 'upstream_rejected'],
    ['request_too_large', 413, 'upstream_rejected'],
    ['timeout_error', 504, 'upstream_error'],
    ['api_error', 502, 'upstream_error'],
    // A failure of the gateway's credential, not of the client's.
    ['authentication_error', 502, 'upstream_error'],
    ['permission_error', 502, 'upstream_error'],
    ['new_error', 502, 'upstream_error'],
    [undefined, 502, 'upstream_error'],
  ]
  test.each(types)('%s counts as %d', (type, status, code) => {
    const events = decodeStream(sse({ type: 'error', error: { type, message: 'Overloaded' } }))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: 'fault',
      fault: { status, code, message: 'Overloaded' },
    })
  })

  test.each(['', 'not json', '[]', 'null', '{"error":"x"}', '{"type":"error"}', '{"content":1}'])(
    'a whole reply %j is a fault and nothing else',
    (text) => {
      const events = messages.translation.decodeReply(text, upstreamContext())
      expect(events).toHaveLength(1)
      expect(events[0]?.type).toBe('fault')
    },
  )
})
