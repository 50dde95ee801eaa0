import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic, { NotFoundError as AnthropicNotFound } from '@anthropic-ai/sdk'
import Anthropic0, { NotFoundError as Anthropic0NotFound } from '@anthropic-ai/sdk-0'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI, { NotFoundError as OpenAINotFound } from 'openai'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { viaModel } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import type { Sdk } from './sdk.ts'

const gateway = withGateway()
const ids = protocolNames.map(viaModel).sort()
const [one = ''] = ids
const missing = 'no-such-model'
const messages = [{ role: 'user' as const, content: 'How many tokens are these?' }]

let openai: OpenAI
let anthropic: Anthropic
let anthropic0: Anthropic0
let genai: GoogleGenAI
beforeAll(() => {
  const { url, keys } = gateway()
  const common = { apiKey: keys.any, maxRetries: 0 }
  openai = new OpenAI({ ...common, baseURL: `${url}/v1` })
  anthropic = new Anthropic({ ...common, baseURL: url })
  anthropic0 = new Anthropic0({ ...common, baseURL: url })
  genai = new GoogleGenAI({ apiKey: keys.any, httpOptions: { baseUrl: url } })
})

describe('point 14: the models of a key', () => {
  test('openai', async () => {
    const { object, data } = await openai.models.list()
    expect(object).toBe('list')
    expect(data.map(({ id }) => id)).toEqual(ids)
    const model = { id: one, object: 'model', created: expect.any(Number), owned_by: 'tests' }
    expect(data[0]).toMatchObject(model)
    expect(await openai.models.retrieve(one)).toMatchObject(model)
    expect(await failureOf(openai.models.retrieve(missing))).toBeInstanceOf(OpenAINotFound)
  })

  const rows: {
    name: string
    client: () => Anthropic | Anthropic0
    error: ReturnType<Sdk['errorClass']>
  }[] = [
    { name: '@anthropic-ai/sdk 1.x', client: () => anthropic, error: AnthropicNotFound },
    { name: '@anthropic-ai/sdk 0.x', client: () => anthropic0, error: Anthropic0NotFound },
  ]
  test.each(rows)('$name, in pages', async ({ client, error }) => {
    const { models } = client()
    const listed: string[] = []
    for await (const { id, type, display_name } of models.list({ limit: 3 })) {
      expect(type).toBe('model')
      expect(display_name).toBe(id.toUpperCase())
      listed.push(id)
    }
    expect(listed).toEqual(ids)
    const page = await models.list({ limit: 3 })
    expect(page).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[2] })
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(await models.retrieve(one)).toMatchObject({ id: one, type: 'model', created_at })
    const failure = await failureOf(models.retrieve(missing))
    expect(failure).toBeInstanceOf(error)
    expect(failure).toMatchObject({ status: 404, type: 'not_found_error' })
  })

  test('@google/genai, in pages', async () => {
    const listed: (string | undefined)[] = []
    for await (const { name } of await genai.models.list({ config: { pageSize: 3 } })) {
      listed.push(name)
    }
    expect(listed).toEqual(ids.map((id) => `models/${id}`))
    const model = await genai.models.get({ model: one })
    expect(model).toMatchObject({ name: `models/${one}`, displayName: one.toUpperCase() })
    expect(model.inputTokenLimit).toBe(128_000)
    const failure = await failureOf(genai.models.get({ model: missing }))
    if (!(failure instanceof ApiError)) throw failure
    expect(failure.status).toBe(404)
    expect(failure.message).toContain('NOT_FOUND')
  })
})

/** All protocols except chat-completions count tokens. */
const counts: readonly { protocol: ProtocolName; answer: object | undefined }[] = [
  { protocol: 'chat-completions', answer: undefined },
  { protocol: 'responses', answer: { object: 'response.input_tokens', input_tokens: 42 } },
  { protocol: 'messages', answer: { input_tokens: 42 } },
  { protocol: 'generate-content', answer: { totalTokens: 42 } },
]

describe.each(counts)('over $protocol', ({ protocol, answer }) => {
  const model = viaModel(protocol)
  beforeEach(() => {
    if (answer) gateway().one.script({}, { kind: 'reply', body: JSON.stringify(answer) })
  })

  function expectCount(count: number | undefined): void {
    if (answer) expect(count).toBe(42)
    else expect(count).toBeGreaterThan(4)
    expect(gateway().one.requests).toHaveLength(answer ? 1 : 0)
  }

  const rows = [
    { name: '1.x', client: () => anthropic },
    { name: '0.x', client: () => anthropic0 },
  ]
  test.each(rows)('point 15: @anthropic-ai/sdk $name counts tokens', async ({ client }) => {
    const body = { model, messages, system: 'Be brief.' }
    const { data, response } = await client().messages.countTokens(body).withResponse()
    expectCount(data.input_tokens)
    const mark = response.headers.get('x-gateway-token-count')
    expect(mark).toBe(answer ? null : 'estimated')
  })

  test('openai: token counts', async () => {
    const body = { model, input: messages, instructions: 'Be brief.' }
    const { object, input_tokens } = await openai.responses.inputTokens.count(body)
    expect(object).toBe('response.input_tokens')
    expectCount(input_tokens)
  })

  test('point 3: @google/genai counts tokens', async () => {
    const contents = 'How many tokens are these?'
    expectCount((await genai.models.countTokens({ model, contents })).totalTokens)
  })

  test('counting tokens costs nothing', async () => {
    const { money } = gateway()
    const before = await money.spentBy('any')
    await anthropic.messages.countTokens({ model, messages })
    expect(await money.spentBy('any')).toBe(before)
  })
})

async function failureOf(asked: Promise<unknown>): Promise<Error> {
  try {
    await asked
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it did not fail')
}
