import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { encodeFault, readFault } from '../../../../src/protocols/generate-content/faults.ts'

const rpc = (name: string) => `type.googleapis.com/google.rpc.${name}`

const rows: [what: string, status: number, body: string, expected: object][] = [
  [
    'plain',
    400,
    '{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}',
    {
      code: 'upstream_rejected',
      message: 'no',
      status: 400,
      upstream: { type: 'INVALID_ARGUMENT' },
    },
  ],
  [
    'in a list, as a JSON stream has it',
    503,
    '[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]',
    { code: 'upstream_error', message: 'busy', status: 503 },
  ],
  [
    'with the retry delay',
    429,
    `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"${rpc('QuotaFailure')}"},{"@type":"${rpc('RetryInfo')}","retryDelay":"34.4s"}]}}`,
    { code: 'upstream_rejected', status: 429, retryAfterSeconds: 35 },
  ],
  [
    'with the retry delay in its text',
    429,
    '{"error":{"message":"Please retry in 7.2s."}}',
    { retryAfterSeconds: 8 },
  ],
  [
    'with the invalid field and a reason',
    400,
    `{"error":{"message":"m","details":[{"@type":"${rpc('ErrorInfo')}","reason":"R"},{"@type":"${rpc('BadRequest')}","fieldViolations":[{"field":"tools[0]"}]}]}}`,
    { upstream: { code: 'R', param: 'tools[0]' } },
  ],
  [
    'about the gateway’s own key, which is not the client’s fault',
    400,
    `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"${rpc('ErrorInfo')}","reason":"API_KEY_INVALID"}]}}`,
    { code: 'upstream_error', status: 502 },
  ],
  ['as text', 500, '{"error":"broken"}', { message: 'broken' }],
  ['as a bare message', 404, '{"message":"gone"}', { message: 'gone', status: 404 }],
  ['not as JSON', 502, '<html>', { message: 'The upstream answered with status 502.' }],
  ['empty', 400, '', { message: 'The upstream answered with status 400.' }],
  [
    'with an empty message',
    400,
    '{"error":{"message":"","details":null}}',
    { message: 'The upstream answered with status 400.' },
  ],
]

describe('an upstream’s refusal', () => {
  test.each(rows)('%s', (_, status, body, expected) => {
    const fault = readFault(status, body)
    const { code, message, details } = fault
    expect({ code, message, ...details, status: fault.status }).toMatchObject(expected)
  })
})

test('our error has the time to retry, and the request id if known', () => {
  const fault = new Fault('rate_limit_exceeded', 'slow down', { retryAfterSeconds: 3, param: 'p' })
  expect(encodeFault(fault, 'r')).toMatchObject({
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { reason: 'rate_limit_exceeded', metadata: { requestId: 'r', field: 'p' } },
        { '@type': rpc('RetryInfo'), retryDelay: '3s' },
      ],
    },
  })
})
