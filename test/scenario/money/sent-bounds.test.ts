import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { eventually } from '../../support/eventually.ts'
import { readExchangeFiles } from '../../support/exchanges/read-exchanges.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'
import { repeats } from '../../support/repeats.ts'
import { richOptions } from './feature-helpers.ts'

/*
 * The hold covers what is sent, whatever a translation adds: an upstream that counts one token for each received byte,
 * except for images, costs no more than the hold.
 */
const gateway = withGateway({
  extend: (provision) => {
    const extended = richOptions.extend?.(provision) ?? provision
    return {
      ...extended,
      // A model whose schemas are expanded, with every reference.
      upstreams: extended.upstreams.map((each) => {
        if (each.id !== 'via-generate-content') return each
        const models = each.models.map((model) => ({ ...model, upstreamModel: 'gemini-2.0-flash' }))
        return { ...each, models }
      }),
    }
  },
})

const windowTokens = 128_000
const outputTokens = 4_000

const reports: Readonly<Record<ProtocolName, (tokens: number) => object>> = {
  'chat-completions': (tokens) => ({ prompt_tokens: tokens, completion_tokens: outputTokens }),
  responses: (tokens) => ({ input_tokens: tokens, output_tokens: outputTokens }),
  messages: (tokens) => ({ input_tokens: tokens, output_tokens: outputTokens }),
  'generate-content': (tokens) => ({
    promptTokenCount: tokens,
    candidatesTokenCount: outputTokens,
  }),
}

/** A body whose output limit equals the reported output. */
function limited(protocol: ProtocolName, body: JsonObject): JsonObject {
  switch (protocol) {
    case 'chat-completions': {
      const { max_completion_tokens: _, ...rest } = body
      return { ...rest, max_tokens: outputTokens, n: 1 }
    }
    case 'responses':
      return { ...body, max_output_tokens: outputTokens }
    case 'messages':
      return { ...body, max_tokens: outputTokens }
    case 'generate-content': {
      const config = isObject(body['generationConfig']) ? body['generationConfig'] : {}
      return {
        ...body,
        generationConfig: { ...config, maxOutputTokens: outputTokens, candidateCount: 1 },
      }
    }
  }
}

function textBytes(protocol: ProtocolName, body: string): number {
  const value = parseJson(body)
  const { mediaBytes } = protocols[protocol].passThrough.measureInput(isObject(value) ? value : {})
  return Buffer.byteLength(body) - mediaBytes
}

/** Sends this body, and returns the id of the request; undefined when nothing was sent to the upstream. */
async function sendReported(from: ProtocolName, to: ProtocolName, asked: JsonObject) {
  const { one, ask } = gateway()
  const isStream = asked['stream'] === true
  const model = viaModel(to)
  const bounded = limited(from, asked)
  const body = from === 'generate-content' ? bounded : { ...bounded, model }
  const path = testProtocols[from].client.path(model, isStream)
  one.reset()
  const usage = (sent: string) => reports[to](Math.min(textBytes(to, sent), windowTokens))
  one.script({}, { kind: 'lie-usage', usage })
  const reply = await ask({ key: 'any', path, body })
  const isSent = one.requests.length > 0
  one.reset()
  return reply.status === 200 && isSent ? reply.requestId : undefined
}

/** The whole reported usage was charged, and the hold was enough. */
async function expectBounded(ids: readonly string[]): Promise<void> {
  const { node, engine } = gateway()
  const entries = await eventually('every request has an entry', async () => {
    await node.ledger.shipped()
    const found = await engine.db
      .selectFrom('entry')
      .select(['request_id', 'usage_source', 'output_tokens', 'flags'])
      .where('request_id', 'in', ids)
      .execute()
    return found.length === ids.length ? found : undefined
  })
  for (const entry of entries) {
    expect(entry).toMatchObject({ usage_source: 'upstream', output_tokens: outputTokens })
    expect(entry.flags).not.toContain('overage')
  }
  const missing = engine.db.selectFrom('uncovered').selectAll().where('request_id', 'in', ids)
  expect(await missing.execute()).toEqual([])
}

describe.each(protocolNames)('to %s', (to) => {
  test('every exchange of the collection is bounded in its sent form', async () => {
    const sent: string[] = []
    for (const { protocol, exchanges } of readExchangeFiles()) {
      for (const { request, endpoint = 'answer' } of exchanges) {
        if (!request || endpoint !== 'answer') continue
        const id = await sendReported(protocol, to, request)
        if (id !== undefined) sent.push(id)
      }
    }
    expect(sent.length).toBeGreaterThan(100)
    await expectBounded(sent)
  })

  test('text that only a translation adds is bounded, too', async () => {
    await fc.assert(
      fc.asyncProperty(chatRequests, async (request) => {
        const id = await sendReported('chat-completions', to, request)
        if (id !== undefined) await expectBounded([id])
      }),
      { numRuns: repeats(20) },
    )
  })
})

const names = fc.stringMatching(/^[a-zA-Z0-9_.-]{1,80}$/)
const texts = fc.string({ unit: anyCharacter, maxLength: 40 })

/** A schema in which each level refers to the next one several times: expanded, it is many times as long. */
function nested(depth: number, width: number): JsonObject {
  const $defs: Record<string, unknown> = { l0: { type: 'string' } }
  for (let level = 1; level <= depth; level += 1) {
    const properties = Object.fromEntries(
      Array.from({ length: width }, (_, index) => [`p${index}`, { $ref: `#/$defs/l${level - 1}` }]),
    )
    $defs[`l${level}`] = { type: 'object', properties }
  }
  return { type: 'object', properties: { root: { $ref: `#/$defs/l${depth}` } }, $defs }
}

const schemas = fc
  .record({ depth: fc.nat({ max: 4 }), width: fc.integer({ min: 1, max: 4 }) })
  .map(({ depth, width }) => nested(depth, width))

const chatRequests: fc.Arbitrary<JsonObject> = fc.record({
  max_tokens: fc.constant(100),
  messages: fc
    .array(fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: texts }), {
      minLength: 1,
      maxLength: 30,
    })
    .map((turns) => [...turns, { role: 'user', content: 'and now?' }]),
  tools: fc.uniqueArray(
    fc.record({
      type: fc.constant('function'),
      function: fc.record({ name: names, description: texts, parameters: schemas }),
    }),
    { minLength: 1, maxLength: 5, selector: ({ function: { name } }) => name },
  ),
  response_format: fc.oneof(
    fc.constant({ type: 'text' }),
    fc.constant({ type: 'json_object' }),
    fc.record({
      type: fc.constant('json_schema'),
      json_schema: fc.record({ name: fc.constant('answer'), schema: schemas }),
    }),
  ),
})

test.each([
  ['smallAny', 'insufficient_credit', 'Insufficient credit'],
  ['cheapAny', 'key_quota_exhausted', 'The quota of this API key is not enough'],
] as const)(
  'a schema that grows many times over is refused when %s has no money for it',
  async (key, code, words) => {
    const { ask, one, money } = gateway()
    const model = viaModel('generate-content')
    const parameters = nested(5, 5)
    const body = {
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    }
    const reply = await ask({ key, path: '/v1/chat/completions', body })
    expect(reply.status).toBe(403)
    expect(reply.text).toContain(`"code":"${code}"`)
    const grows = 'This request grows when it is translated for the upstream of its model.'
    expect(reply.text).toContain(`${grows} ${words}`)
    expect(one.requests).toEqual([])
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  },
)
