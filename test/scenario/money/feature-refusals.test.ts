import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'
import { type Asked, ask, featureOptions, response, text, tokensNano } from './feature-helpers.ts'

const gateway = withGateway(featureOptions)

/** A feature without a price, the field that requests it, and the field for an upstream. */
const unpriced: readonly (readonly [ProtocolName, JsonObject, string, string])[] = [
  ['chat-completions', { service_tier: 'fast' }, 'service_tier', '"fast"'],
  ['chat-completions', { modalities: ['text', 'audio'] }, 'modalities', '"audio"'],
  ['chat-completions', { tools: [{ type: 'brand_new' }] }, 'tools[0]', 'brand_new'],
  ['responses', { service_tier: 'scale' }, 'service_tier', '"scale"'],
  ['responses', { tools: [{ type: 'brand_new' }] }, 'tools[0]', 'brand_new'],
  ['messages', { speed: 'fast' }, 'speed', '"fast"'],
  ['messages', { tools: [{ type: 'advisor_20260301', name: 'a' }] }, 'tools[0]', 'advisor'],
  [
    'generate-content',
    { generationConfig: { responseModalities: ['AUDIO'] } },
    'generationConfig.responseModalities',
    'AUDIO',
  ],
  ['generate-content', { tools: [{ brandNew: {} }] }, 'tools[0].brandNew', 'brandNew'],
]

/** Upstreams that understand the client's own fields for a feature. */
function isKin(from: ProtocolName, to: ProtocolName): boolean {
  const kin = ['chat-completions', 'responses']
  return from === to || (kin.includes(from) && kin.includes(to))
}

const named: readonly (readonly [ProtocolName, JsonObject, string])[] = [
  [
    'chat-completions',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    'messages[0].content[0].file.file_id',
  ],
  ['responses', { conversation: 'conv_1' }, 'conversation'],
  ['responses', { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
  [
    'responses',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'tools[0].vector_store_ids[0]',
  ],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'tools[0].container',
  ],
  ['messages', { container: 'container_1' }, 'container'],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
      ],
    },
    'messages[0].content[0].source.file_id',
  ],
  ['generate-content', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [
    'generate-content',
    { contents: [{ parts: [{ fileData: { mimeType: 'image/png', fileUri: 'files/1' } }] }] },
    'contents[0].parts[0].fileData.fileUri',
  ],
]

/** Every path of a request, to every upstream, streamed and not streamed. */
const ways = allProtocols.flatMap(({ name }) =>
  [false, true].map((isStream) => ({ to: name, isStream })),
)

async function expectRefused(asked: Asked, status: number, code: string, param: string) {
  const { money, one } = gateway()
  const before = await money.balance('acme')
  const reply = await ask(gateway(), asked)
  expect(reply.status).toBe(status)
  expect(reply.text).toContain(code)
  expect(reply.text).toContain(`\\"${param}\\"`)
  expect((await money.usageRow(reply.requestId)).reason).toBe(code)
  expect(one.requests).toEqual([])
  expect(await money.balance('acme')).toBe(before)
  expect(gateway().node.ledger.openHolds).toBe(0)
}

describe('a feature without a price', () => {
  const rows = unpriced.map(([from, extra, param, told]) => ({ from, extra, param, told }))

  test.each(rows)('$from $param: 400 before any money is held', async ({ from, extra, param }) => {
    for (const way of ways) {
      if (!isKin(from, way.to)) continue
      await expectRefused({ from, extra, ...way }, 400, 'feature_not_priced', param)
    }
  })

  test.each(rows)(
    '$from $param: no other upstream gets the request',
    async ({ from, extra, told }) => {
      for (const way of ways) {
        if (isKin(from, way.to)) continue
        const reply = await ask(gateway(), { from, extra, ...way })
        expect([200, 400]).toContain(reply.status)
      }
      for (const { body } of gateway().one.requests) expect(body).not.toContain(told)
    },
  )

  test('is charged as tokens if the group allows it', async () => {
    const { one, money } = gateway()
    const choice = {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Hi' },
    }
    const told = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
    const body = { id: 'c', object: 'chat.completion', usage: told, choices: [choice] }
    one.script('next', { kind: 'reply', body: JSON.stringify(body) })
    const extra = { service_tier: 'fast' }
    const reply = await ask(gateway(), {
      from: 'chat-completions',
      to: 'chat-completions',
      extra,
      key: 'strict',
    })
    expect(reply.status).toBe(200)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(tokensNano)
  })

  test('the explanation shows it, too', async () => {
    const headers = { 'x-gateway-explain': 'true' }
    const asked = { from: 'messages', to: 'messages', extra: { speed: 'fast' }, headers } as const
    expect((await ask(gateway(), asked)).text).toContain('feature_not_priced')
  })
})

describe('an object of the upstream account', () => {
  test.each(named.map(([from, extra, param]) => ({ from, extra, param })))(
    '$from $param: 400 on every way',
    async ({ from, extra, param }) => {
      for (const way of ways) {
        await expectRefused({ from, extra, ...way }, 400, 'shared_object_not_allowed', param)
      }
    },
  )

  test('is forwarded if the group allows it', async () => {
    for (const [from, extra] of named) {
      const reply = await ask(gateway(), { from, to: from, extra, key: 'strict' })
      expect([from, reply.status]).toEqual([from, 200])
    }
    expect(gateway().one.requests).toHaveLength(named.length)
  })

  test('is not counted either', async () => {
    const { client } = testProtocols.messages
    const { max_tokens: _, ...rest } = client.body(viaModel('messages'), false)
    const content = [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]
    const body = { ...rest, messages: [{ role: 'user', content }] }
    const reply = await gateway().ask({ key: 'any', path: '/v1/messages/count_tokens', body })
    expect(reply.status).toBe(400)
    expect(gateway().one.requests).toEqual([])
  })

  test('may be used by the account that created it through the gateway, and by no other', async () => {
    const { one } = gateway()
    const call = {
      type: 'code_interpreter_call',
      id: 'ci_1',
      container_id: 'cntr_mine',
      status: 'completed',
    }
    one.script('next', { kind: 'reply', body: JSON.stringify(response({ output: [call, text] })) })
    const tool = (container: unknown) => ({
      tools: [{ type: 'code_interpreter', container }],
      max_output_tokens: 50,
      max_tool_calls: 0,
    })
    const on = { from: 'responses', to: 'responses' } as const
    expect((await ask(gateway(), { ...on, extra: tool({ type: 'auto' }) })).status).toBe(200)
    expect((await ask(gateway(), { ...on, extra: tool('cntr_mine') })).status).toBe(200)
    expect(
      (await ask(gateway(), { ...on, extra: tool('cntr_mine'), key: 'tightAny' })).status,
    ).toBe(400)
    expect((await ask(gateway(), { ...on, extra: tool('cntr_other') })).status).toBe(400)
  })
})

describe('a background response', () => {
  test.each(ways)(
    'to $to, stream $isStream: 400, and no upstream gets a request',
    async ({ to, isStream }) => {
      await expectRefused(
        { from: 'responses', to, extra: { background: true }, isStream },
        400,
        'invalid_request',
        'background',
      )
    },
  )

  test('does not harm the upstream for others', async () => {
    for (let count = 0; count < 20; count += 1) {
      await ask(gateway(), { from: 'responses', to: 'responses', extra: { background: true } })
    }
    expect(gateway().node.openBreakers()).toBe(0)
    const reply = await ask(gateway(), { from: 'responses', to: 'responses', extra: {} })
    expect(reply.status).toBe(200)
    await eventually('it is settled', () => gateway().node.ledger.openHolds === 0)
  })
})
