import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { limits } from '../../../src/gateway/limits.ts'
import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import { credentials, type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { dig, prompt } from '../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const header = 'x-gateway-token-count'

/** A protocol's call to count tokens, for clients and upstreams. */
interface Counter {
  readonly name: ProtocolName
  path(model: string): string
  body(model: string): JsonObject
  count(tokens: number): JsonObject
  readonly extra: JsonObject
}

const counters: Counter[] = [
  {
    name: 'responses',
    path: () => '/v1/responses/input_tokens',
    body: (model) => ({ model, input: prompt, instructions: 'Be kind.' }),
    count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    extra: { tools: [{ type: 'function', name: 'look_up', parameters: { type: 'object' } }] },
  },
  {
    name: 'messages',
    path: () => '/v1/messages/count_tokens',
    body: (model) => ({ model, system: 'Be kind.', messages: [{ role: 'user', content: prompt }] }),
    count: (tokens) => ({ input_tokens: tokens }),
    extra: { tools: [{ name: 'look_up', input_schema: { type: 'object' } }] },
  },
  {
    name: 'generate-content',
    path: (model) => `/v1beta/models/${model}:countTokens`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
    count: (tokens) => ({ totalTokens: tokens }),
    extra: {},
  },
]

const pairs = counters.flatMap((from) =>
  counters.map((to) => ({ from, to, pair: `${from.name} over ${to.name}` })),
)

function askCount(
  from: Counter,
  to: ProtocolName,
  options: { behaviour?: Behaviour; key?: KeyName; body?: JsonObject | string } = {},
): Promise<Reply> {
  const { ask, one } = gateway()
  const { behaviour, key = 'any' } = options
  if (behaviour) one.script('next', behaviour)
  const model = viaModel(to)
  return ask({ key, path: from.path(model), body: options.body ?? from.body(model) })
}

function countOf(counter: Counter, tokens: number): Behaviour {
  return { kind: 'reply', body: JSON.stringify(counter.count(tokens)) }
}

/** A token count is in the log and costs nothing. */
async function expectFree(reply: Reply, row: JsonObject, before: { entries: number }) {
  const { money } = gateway()
  expect(reply.headers.get('x-gateway-cost')).toBeNull()
  expect(await money.usageRow(reply.requestId)).toMatchObject({ cost_nano: 0n, stream: 0, ...row })
  expect((await money.counts()).entries).toBe(before.entries)
}

describe('an upstream that can count', () => {
  test.each(pairs)('is asked: $pair', async ({ from, to }) => {
    const { one, two, money } = gateway()
    const before = await money.counts()
    const model = viaModel(to.name)
    const reply = await askCount(from, to.name, { behaviour: countOf(to, 4_711) })
    expect(reply.status).toBe(200)
    expect(reply.headers.get(header)).toBeNull()
    expect(reply.json).toEqual(from.count(4_711))
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(0)
    const [sent] = one.requests
    expect(sent?.path).toBe(to.path(model))
    expect(sent?.headers).toMatchObject(testProtocols[to.name].upstream.headers(credentials.one))
    const body = parseJson(sent?.body ?? '')
    const inner = to.name === 'generate-content' && from !== to ? 'generateContentRequest' : ''
    const whole = inner === '' ? body : dig(body, inner)
    expect(testProtocols[to.name].upstream.promptOf(whole)).toBe(prompt)
    // Upstreams that count reject the fields that only generating needs.
    expect(sent?.body).not.toMatch(/"(?:max_tokens|max_output_tokens|stream|store|include)"/)
    if (from === to) expect(body).toEqual(from.body(model))
    const row = { protocol: from.name, model, status: 200, reason: null, group_id: 'any' }
    await expectFree(reply, row, before)
  })

  test.each(pairs)('includes the tools: $pair', async ({ from, to }) => {
    if (from.name === 'generate-content') return
    const body = { ...from.body(viaModel(to.name)), ...from.extra }
    const reply = await askCount(from, to.name, { behaviour: countOf(to, 1), body })
    expect(reply.json).toEqual(from.count(1))
    expect(gateway().one.requests[0]?.body).toContain('look_up')
  })

  test.each(pairs)('can reject the count: $pair', async ({ from, to }) => {
    const { money } = gateway()
    const before = await money.counts()
    const message = `roles must alternate (${credentials.one})`
    const behaviour = { kind: 'status', status: 400, message } as const
    const reply = await askCount(from, to.name, { behaviour })
    expect(reply.status).toBe(400)
    expect(testProtocols[from.name].client.readFault(reply.json)).toMatchObject({
      message: 'roles must alternate ([credential])',
      reason: 'upstream_rejected',
    })
    await expectFree(reply, { status: 400, reason: 'upstream_rejected' }, before)
  })
})

describe('an estimate replaces the count, and is marked', () => {
  test.each(counters)('$name over an upstream that cannot count', async (from) => {
    const { one, money } = gateway()
    const before = await money.counts()
    const reply = await askCount(from, 'chat-completions')
    expectEstimate(reply, from)
    expect(one.requests).toHaveLength(0)
    const row = { protocol: from.name, model: 'via-chat', status: 200, reason: null }
    await expectFree(reply, row, before)
  })

  const failures: { name: string; behaviour: Behaviour }[] = [
    ...[401, 403, 404, 429, 500, 503].map((status) => ({
      name: String(status),
      behaviour: { kind: 'status', status, message: credentials.one } as const,
    })),
    { name: 'a connection reset', behaviour: { kind: 'reset' } },
    { name: 'an HTML page', behaviour: { kind: 'reply', body: '<html></html>' } },
    { name: 'another response', behaviour: { kind: 'reply', body: '{"hello":1}' } },
    { name: 'a negative count', behaviour: { kind: 'reply', body: '{"input_tokens":-1}' } },
  ]
  for (const { name, behaviour } of failures) {
    test.each(pairs)(`after ${name}: $pair`, async ({ from, to }) => {
      const { one } = gateway()
      const reply = await askCount(from, to.name, { behaviour })
      expectEstimate(reply, from)
      expect(one.requests).toHaveLength(1)
    })
  }

  test.each(counters)('$name: it grows with the prompt', async (from) => {
    const usual = JSON.stringify(from.body(viaModel('chat-completions')))
    const body = usual.replace(prompt, 'many words '.repeat(1_000))
    const reply = await askCount(from, 'chat-completions', { body })
    const [tokens] = Object.values(reply.json).filter((value) => typeof value === 'number')
    expect(tokens).toBeGreaterThan(1_500)
    expect(tokens).toBeLessThan(4_000)
  })

  function expectEstimate(reply: Reply, from: Counter) {
    expect(reply.status).toBe(200)
    expect(reply.headers.get(header)).toBe('estimated')
    expect(reply.json).toEqual({ ...from.count(0), ...numbers(reply.json) })
    const [tokens] = Object.values(numbers(reply.json))
    expect(tokens).toBeGreaterThan(3)
    expect(tokens).toBeLessThan(60)
  }

  function numbers(value: JsonObject): Record<string, number> {
    const found: Record<string, number> = {}
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'number') found[name] = field
    }
    return found
  }
})

describe('one account cannot flood an upstream with token counts', () => {
  const { countsPerAccountMax } = limits
  test('the others are estimated, and the places are free again afterwards', async () => {
    const { one } = gateway()
    const [, from] = counters
    if (!from) throw new Error('no protocol')
    const gate = Promise.withResolvers<void>()
    const answer: Behaviour = {
      kind: 'events',
      headers: { 'content-type': 'application/json' },
      events: [JSON.stringify(from.count(4_711))],
      end: 'clean',
      gates: [gate.promise],
    }
    one.script({}, answer)
    const waiting = Array.from({ length: countsPerAccountMax }, () => askCount(from, 'messages'))
    await one.whenRequested(countsPerAccountMax)
    const further = await Promise.all([1, 2, 3].map(() => askCount(from, 'messages')))
    expect(further.map(({ headers }) => headers.get(header))).toEqual(
      further.map(() => 'estimated'),
    )
    expect(one.requests).toHaveLength(countsPerAccountMax)
    gate.resolve()
    for (const { json } of await Promise.all(waiting)) expect(json).toEqual(from.count(4_711))
    expect((await askCount(from, 'messages')).headers.get(header)).toBeNull()
    expect(one.requests).toHaveLength(countsPerAccountMax + 1)
  })
})

describe('counting is free', () => {
  test.each(counters)('$name: counting needs no money', async (from) => {
    const { ask } = gateway()
    for (const key of ['broke', 'spentQuota'] as const) {
      const reply = await ask({ key, path: from.path('gpt-x'), body: from.body('gpt-x') })
      expect(reply.status).toBe(200)
    }
  })
})

describe('a caller whose requests are rejected cannot count either', () => {
  const refusals: { key: KeyName | undefined; status: number; reason: string; model?: string }[] = [
    { key: undefined, status: 401, reason: 'invalid_token' },
    { key: 'disabled', status: 401, reason: 'invalid_token' },
    { key: 'expired', status: 401, reason: 'invalid_token' },
    { key: 'suspended', status: 403, reason: 'account_suspended' },
    { key: 'ended', status: 403, reason: 'account_expired' },
    { key: 'remote', status: 403, reason: 'ip_not_allowed' },
    { key: 'modelless', status: 403, reason: 'model_not_allowed' },
    { key: 'gone', status: 403, reason: 'group_not_allowed' },
    { key: 'plain', status: 404, reason: 'model_not_found', model: 'no-such-model' },
    { key: 'plain', status: 404, reason: 'model_not_found', model: viaModel('messages') },
    { key: 'plain', status: 403, reason: 'model_not_priced', model: 'gpt-unpriced' },
  ]
  for (const { key, status, reason, model = 'gpt-x' } of refusals) {
    test.each(counters)(`$name: ${key ?? 'no'} key, ${model}: ${reason}`, async (from) => {
      const { ask, one, money } = gateway()
      const reply = await ask({ key, path: from.path(model), body: from.body(model) })
      expect(reply.status).toBe(status)
      expect(testProtocols[from.name].client.readFault(reply.json)).toMatchObject({ reason })
      expect(one.requests).toHaveLength(0)
      if (status !== 401) expect(await money.usageRow(reply.requestId)).toMatchObject({ reason })
    })
  }

  test.each(counters)('$name: another method', async (from) => {
    for (const method of ['GET', 'PUT']) {
      const reply = await gateway().ask({ key: 'any', path: from.path('gpt-x'), method })
      expect([404, 405]).toContain(reply.status)
    }
  })

  test('chat-completions has no such call', async () => {
    const reply = await gateway().ask({ key: 'any', path: '/v1/chat/completions/count', body: {} })
    expect(reply.status).toBe(404)
  })
})

describe('an invalid token count', () => {
  const bodies = ['', '[]', 'null', '{', '{}', '{"model":7}', '{"model":"gpt-x"}']
  test.each(counters)('$name', async (from) => {
    const { ask, one, money } = gateway()
    const before = await money.counts()
    for (const body of bodies) {
      const reply = await ask({ key: 'plain', path: from.path('gpt-x'), method: 'POST', body })
      expect(reply.status).toBe(400)
      const told = testProtocols[from.name].client.readFault(reply.json)
      expect(told).toMatchObject({ reason: 'invalid_request' })
    }
    expect(one.requests).toHaveLength(0)
    expect((await money.counts()).entries).toBe(before.entries)
  })

  test('a thread is rejected as in a normal request', async () => {
    const { ask } = gateway()
    const body = {
      model: 'gpt-x',
      thread: { id: 't' },
      messages: [{ role: 'user', content: 'hi' }],
    }
    const reply = await ask({ key: 'plain', path: '/v1/messages/count_tokens', body })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('thread_unsupported_request')
  })
})

describe('a whole request in an envelope', () => {
  const from = counters.at(-1)
  test.each(counters)('over $name', async (to) => {
    if (!from) return
    const model = viaModel(to.name)
    const inner = {
      model: `models/${model}`,
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      generationConfig: { maxOutputTokens: 10 },
    }
    const body = { generateContentRequest: inner }
    const reply = await askCount(from, to.name, { behaviour: countOf(to, 8), body })
    expect(reply.json).toEqual({ totalTokens: 8 })
    const sent = gateway().one.requests[0]?.body ?? ''
    expect(sent).toContain('Be kind.')
    if (to === from) expect(parseJson(sent)).toEqual(body)
  })
})

test.each(counters)(
  '$name over $name: other fields of the upstream’s count are forwarded',
  async (counter) => {
    const told = {
      ...counter.count(41),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 41 }],
      more: { of: 'it' },
    }
    const reply = await askCount(counter, counter.name, {
      behaviour: { kind: 'reply', body: JSON.stringify(told) },
    })
    expect(reply.status).toBe(200)
    expect(reply.json).toEqual(told)
    expect(reply.headers.get(header)).toBeNull()
  },
)
