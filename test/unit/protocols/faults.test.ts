import { describe, expect, test } from 'bun:test'
import { Fault, faultStatus } from '../../../src/core/fault.ts'
import { readFault } from '../../../src/protocols/chat-completions/faults.ts'
import { protocols } from '../../../src/protocols/index.ts'

type Row = [
  vendor: string,
  status: number,
  body: string,
  message: string,
  words: Record<string, string | undefined>,
]

const rows: Row[] = [
  [
    'OpenAI',
    400,
    '{"error":{"message":"Unsupported parameter","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}',
    'Unsupported parameter',
    { type: 'invalid_request_error', param: 'max_tokens', code: 'unsupported_parameter' },
  ],
  [
    'OpenAI: only null beside the message',
    400,
    '{"error":{"message":"too long","type":null,"param":null,"code":null}}',
    'too long',
    { type: undefined, param: undefined, code: undefined },
  ],
  [
    'Azure',
    404,
    '{"error":{"code":"404","message":"Resource not found"}}',
    'Resource not found',
    { code: '404' },
  ],
  [
    'OpenRouter: a number as the code',
    401,
    '{"error":{"message":"No cookie auth credentials found","code":401,"metadata":{}}}',
    'No cookie auth credentials found',
    { code: '401' },
  ],
  ['Mistral', 422, '{"detail":"Unprocessable"}', 'Unprocessable', {}],
  [
    'Mistral and other FastAPI servers: a list',
    422,
    '{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"},{"msg":"second"}]}',
    'Field required',
    {},
  ],
  [
    'Mistral: flat',
    400,
    '{"object":"error","message":"Invalid model","type":"invalid_model","param":null,"code":"1500"}',
    'Invalid model',
    { type: 'invalid_model', code: '1500' },
  ],
  [
    'xAI',
    400,
    '{"code":"Client specified an invalid argument","error":"Model not found: x"}',
    'Model not found: x',
    { code: 'Client specified an invalid argument' },
  ],
  ['a bare message', 403, '{"message":"Forbidden"}', 'Forbidden', {}],
  [
    'Google’s compatible endpoint: wrapped in a list',
    400,
    '[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]',
    'API key not valid.',
    { code: '400' },
  ],
  ['not JSON', 502, '<html>Bad Gateway</html>', 'The upstream answered with status 502.', {}],
  ['empty', 500, '', 'The upstream answered with status 500.', {}],
  ['JSON without a message', 400, '{"error":{}}', 'The upstream answered with status 400.', {}],
  [
    'an empty message',
    400,
    '{"error":{"message":""}}',
    'The upstream answered with status 400.',
    {},
  ],
  ['an empty list', 400, '[]', 'The upstream answered with status 400.', {}],
]

const errorTypes: Record<string, [messages: string, generateContent: string]> = {
  invalid_token: ['authentication_error', 'UNAUTHENTICATED'],
  ip_not_allowed: ['permission_error', 'PERMISSION_DENIED'],
  insufficient_credit: ['permission_error', 'PERMISSION_DENIED'],
  model_not_found: ['not_found_error', 'NOT_FOUND'],
  invalid_request: ['invalid_request_error', 'INVALID_ARGUMENT'],
  request_too_large: ['request_too_large', 'INVALID_ARGUMENT'],
  rate_limit_exceeded: ['rate_limit_error', 'RESOURCE_EXHAUSTED'],
  internal_error: ['api_error', 'INTERNAL'],
  upstream_error: ['api_error', 'INTERNAL'],
  unavailable: ['overloaded_error', 'UNAVAILABLE'],
  upstream_timeout: ['timeout_error', 'DEADLINE_EXCEEDED'],
}

describe('an upstream’s refusal', () => {
  test.each(rows)('%s, %d', (_, status, body, message, words) => {
    const fault = readFault(status, body)
    expect(fault.message).toBe(message)
    expect(fault.status).toBe(status)
    expect(fault.code).toBe(status < 500 ? 'upstream_rejected' : 'upstream_error')
    expect(fault.details.upstream).toMatchObject({ status, ...words })
  })
})

describe('our error in the format of each protocol', () => {
  const codes = Object.keys(faultStatus) as (keyof typeof faultStatus)[]

  test.each(codes)('%s: every body carries message and code', (code) => {
    const fault = new Fault(code, 'the message', { operatorMessage: 'for the operator' })
    for (const protocol of Object.values(protocols)) {
      const body = JSON.stringify(protocol.encodeFault(fault, 'req-1'))
      const event = protocol.encodeFaultEvent(fault, 'req-1')
      for (const text of [body, event]) {
        expect(text).toContain('the message')
        expect(text).toContain(`"${code}"`)
        expect(text).not.toContain('for the operator')
      }
      expect(event).toMatch(/^((event: [\w.]+\n)?data: [^\r\n]+\r?\n\r?\n)+$/)
    }
  })

  test.each(Object.entries(errorTypes))(
    '%s: the types that clients know',
    (code, [messages, google]) => {
      const known = codes.find((each) => each === code)
      if (!known) throw new Error(`${code} is not a code`)
      const fault = new Fault(known, 'm')
      expect(protocols.messages.encodeFault(fault, 'req-1')).toMatchObject({
        type: 'error',
        error: { type: messages },
        request_id: 'req-1',
      })
      expect(protocols['generate-content'].encodeFault(fault, 'req-1')).toMatchObject({
        error: { code: fault.status, status: google },
      })
    },
  )

  test('an upstream’s own text is forwarded, with our code', () => {
    const fault = readFault(400, '{"error":{"message":"m","type":"t","param":"p","code":"c"}}')
    for (const name of ['chat-completions', 'responses'] as const) {
      expect(protocols[name].encodeFault(fault, 'req-1')).toEqual({
        error: { message: 'm', type: 't', param: 'p', code: 'c', reason: 'upstream_rejected' },
      })
    }
  })
})
