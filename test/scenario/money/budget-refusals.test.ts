import { beforeAll, describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { addSpentBudgets, spentBudgets } from '../../support/gateway/add-spent-budgets.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
let values: Awaited<ReturnType<typeof addSpentBudgets>>
beforeAll(async () => {
  values = await addSpentBudgets(gateway().engine)
})

const messages = [{ role: 'user', content: 'Good morning' }]
const contents = [{ role: 'user', parts: [{ text: 'Good morning' }] }]

interface Endpoint {
  readonly name: string
  readonly path: string
  readonly body: JsonObject
  /** The whole body of the refusal, with the reset in the protocol's field. */
  readonly expected: (refused: {
    readonly code: string
    readonly message: unknown
    readonly resetsAt: unknown
    readonly requestId: string
  }) => unknown
}

const openai: Endpoint['expected'] = ({ code, message, resetsAt }) => ({
  error: { message, type: 'insufficient_quota', param: null, code, resets_at: resetsAt },
})
const google: Endpoint['expected'] = ({ code, message, resetsAt, requestId }) => ({
  error: {
    code: 403,
    message,
    status: 'PERMISSION_DENIED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: code,
        domain: 'tollgate',
        metadata: { requestId, resetsAt },
      },
    ],
  },
})
const anthropic: Endpoint['expected'] = ({ code, message, resetsAt, requestId }) => ({
  type: 'error',
  error: {
    type: 'permission_error',
    message,
    details: { error_code: code, resets_at: resetsAt },
  },
  request_id: requestId,
})

const responsesBody = { model: 'gpt-x', input: 'Good morning', max_output_tokens: 100 }
const messagesBody = { model: 'gpt-x', messages, max_tokens: 100 }
const googleBody = { contents, generationConfig: { maxOutputTokens: 100 } }
const endpoints: readonly Endpoint[] = [
  { name: 'chat-completions', path: '/v1/chat/completions', body: chatBody(), expected: openai },
  {
    name: 'chat-completions, stream',
    path: '/v1/chat/completions',
    body: chatBody({ stream: true }),
    expected: openai,
  },
  { name: 'responses', path: '/v1/responses', body: responsesBody, expected: openai },
  {
    name: 'responses, stream',
    path: '/v1/responses',
    body: { ...responsesBody, stream: true },
    expected: openai,
  },
  { name: 'messages', path: '/v1/messages', body: messagesBody, expected: anthropic },
  {
    name: 'messages, stream',
    path: '/v1/messages',
    body: { ...messagesBody, stream: true },
    expected: anthropic,
  },
  {
    name: 'generate-content',
    path: '/v1beta/models/gpt-x:generateContent',
    body: googleBody,
    expected: google,
  },
  {
    name: 'generate-content, stream of events',
    path: '/v1beta/models/gpt-x:streamGenerateContent?alt=sse',
    body: googleBody,
    expected: google,
  },
  {
    name: 'generate-content, stream as a list',
    path: '/v1beta/models/gpt-x:streamGenerateContent',
    body: googleBody,
    expected: (refused) => [google(refused)],
  },
]

const cases = endpoints.flatMap((endpoint) =>
  spentBudgets.map((budget) => [budget.owner, endpoint.name, budget, endpoint] as const),
)

describe('a budget that is exhausted', () => {
  test.each(cases)('of the %s, %s', async (owner, _name, { code, words, remedy }, endpoint) => {
    const { ask, one, money } = gateway()
    const { path, body, expected } = endpoint
    const reply = await ask({ path, body, headers: { authorization: `Bearer ${values[owner]}` } })
    expect(reply.status).toBe(403)
    const sent: unknown = JSON.parse(reply.text)
    expect(sent).toEqual(
      expected({
        code,
        message: expect.any(String),
        resetsAt: expect.any(String),
        requestId: reply.requestId,
      }),
    )
    // Midnight in Kathmandu, in the message and in the body.
    const resets = [...reply.text.matchAll(/\d{4}-\d\d-\d\dT18:15:00\.000Z/g)].map(([at]) => at)
    expect(new Set(resets).size).toBe(1)
    expect(resets).toHaveLength(2)
    expect(Date.parse(resets[0] ?? '')).toBeGreaterThan(Date.now())
    expect(reply.text).toContain(`The ${words} is not enough: this request needs up to $`)
    // These budgets are smaller than any request, so nobody is told to wait for the reset.
    expect(reply.text).toContain(`but the whole budget is less than this request needs: ${remedy},`)
    expect(reply.text).not.toContain('Try again')
    // The reset may be weeks away: a client that waits for Retry-After would hang.
    expect(reply.headers.get('retry-after')).toBeNull()
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(one.requests).toHaveLength(0)
    expect((await money.usageRow(reply.requestId)).reason).toBe(code)
  })
})
