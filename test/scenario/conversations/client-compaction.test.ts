import { describe, expect, test } from 'bun:test'
import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { backedModel, nativeModels, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import {
  dig,
  greeting,
  greetingText,
  type TestProtocol,
} from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const path = '/v1/responses/compact'
const others = allProtocols.filter(({ name }) => name !== 'responses')

/** The compacted conversation, which only the upstream that created it can read. */
const summary = { type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VhbGVk' }
const compacted = JSON.stringify({
  id: 'resp_compacted',
  object: 'response.compaction',
  created_at: 1_767_225_600,
  output: [{ type: 'message', role: 'user', content: 'Good morning' }, summary],
  usage: testProtocols.responses.usage,
})

/** The request of an agent whose context window is nearly full, with fields that the gateway does not know. */
function body(model: string, more: JsonObject = {}): string {
  const input = [{ type: 'message', role: 'user', content: 'Good morning' }]
  return JSON.stringify({ model, input, instructions: 'Be brief.', tools: [], later: 1, ...more })
}

function scriptCompacted(at = gateway().one): void {
  at.script('next', { kind: 'reply', body: compacted })
}

describe('POST /v1/responses/compact', () => {
  test('goes to an upstream of the protocol and back, byte for byte, and is charged', async () => {
    const { ask, one, money } = gateway()
    const model = viaModel('responses')
    scriptCompacted()
    const reply = await ask({ key: 'any', path, body: body(model) })
    expect(reply.status).toBe(200)
    expect(reply.text).toBe(compacted)
    expect(one.requests[0]?.path).toBe(path)
    expect(one.requests[0]?.body).toBe(body(model))
    expect(reply.headers.get('x-gateway-cost')).toBe('0.004')
    expect(await money.entry(reply.requestId)).toMatchObject({
      cost_nano: 4_000_000n,
      usage_source: 'upstream',
    })
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      protocol: 'responses',
      stream: 0,
      status: 200,
    })
  })

  test('is never streamed, and is not stored as a response', async () => {
    const { ask } = gateway()
    scriptCompacted()
    const asked = body(viaModel('responses'), { stream: true })
    expect((await ask({ key: 'any', path, body: asked })).text).toBe(compacted)
    const read = await ask({ key: 'any', path: '/v1/responses/resp_compacted' })
    expect(read.status).toBe(404)
  })

  test.each(others)('is refused over $name before anything is sent', async ({ name }) => {
    const { ask, one, money } = gateway()
    const reply = await ask({ key: 'any', path, body: body(viaModel(name)) })
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ error: { code: 'invalid_request', param: 'model' } })
    expect(reply.text).toContain('compact')
    expect(one.requests).toHaveLength(0)
    expect(await money.usageRow(reply.requestId)).toMatchObject({ status: 400, cost_nano: 0n })
  })

  test('skips an upstream that cannot compact', async () => {
    const { ask, one, two } = gateway()
    scriptCompacted(two)
    const reply = await ask({ key: 'backed', path, body: body(backedModel('messages')) })
    expect(reply.text).toBe(compacted)
    expect(one.requests).toHaveLength(0)
    expect(two.requests[0]?.path).toBe(path)
    expect(parseJson(two.requests[0]?.body ?? '')).toMatchObject({ model: viaModel('responses') })
  })

  test('reaches a vendor of any protocol that has it', async () => {
    const { ask, one } = gateway()
    scriptCompacted()
    const reply = await ask({ key: 'native', path, body: body(nativeModels.openai) })
    expect(reply.text).toBe(compacted)
    expect(one.requests[0]?.path).toBe(path)
    const none = await ask({ key: 'native', path, body: body(nativeModels.anthropic) })
    expect(none.status).toBe(400)
  })

  test('an upstream’s error is forwarded with its text', async () => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'status', status: 400, message: 'No such thing here.' })
    const reply = await ask({ key: 'any', path, body: body(viaModel('responses')) })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('No such thing here.')
  })

  test('is refused with too little money, because its output cannot be limited', async () => {
    const { ask, one } = gateway()
    const reply = await ask({ key: 'tightAny', path, body: body(viaModel('responses')) })
    expect(reply.status).toBe(403)
    expect(one.requests).toHaveLength(0)
  })

  test('passes the same checks as every request', async () => {
    const { ask } = gateway()
    expect((await ask({ path, body: body('gpt-x') })).status).toBe(401)
    expect((await ask({ key: 'any', path, body: body('nothing') })).status).toBe(404)
    expect((await ask({ key: 'any', path, body: '{"model":"gpt-x"}' })).status).toBe(400)
    const read = await ask({ key: 'any', path })
    expect(read.status).toBe(405)
    expect(read.headers.get('allow')).toBe('POST')
  })

  test('reasoning of another vendor is not sent to the upstream', async () => {
    const { ask, one } = gateway()
    const { client } = testProtocols.responses
    const claude = viaModel('messages')
    const first = {
      ...client.body(claude, false),
      ...client.toolFields,
      include: ['reasoning.encrypted_content'],
    }
    const thought = { text: 'Hm.', token: 'dG9rZW4tb2YtY2xhdWRl' }
    const call = { id: 'toolu_1', name: 'look_up', input: { city: 'Łódź' } }
    const said = testProtocols.messages.upstream.reply({ thought, call })
    one.script('next', { kind: 'reply', body: JSON.stringify(said) })
    const answered = await ask({ key: 'any', path: '/v1/responses', body: first })
    const sealed = JSON.stringify(dig(answered.json, 'output'))
    expect(sealed).toContain('encrypted_content')
    const { input, tools } = client.goOn(first, answered.json)
    scriptCompacted()
    const asked = { model: viaModel('responses'), input, tools, instructions: 'Be brief.' }
    const reply = await ask({ key: 'any', path, body: asked })
    expect(reply.text).toBe(compacted)
    const sent = one.requests.at(-1)
    expect(sent?.path).toBe(path)
    expect(sent?.body).not.toContain('encrypted_content":"')
    expect(Object.keys(parseJson(sent?.body ?? '') ?? {}).toSorted()).toEqual([
      'input',
      'instructions',
      'model',
    ])
    expect(sent?.body).toContain('sunny')
  })
})

describe('a conversation that was compacted', () => {
  function goOn(to: TestProtocol) {
    const { one, ask } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(to.upstream.reply(greeting)) })
    const input = [summary, { role: 'user', content: 'Go on.' }]
    const model = viaModel(to.name)
    return ask({ key: 'any', path: '/v1/responses', body: { model, input } })
  }

  test('continues from the compacted conversation', async () => {
    const reply = await goOn(testProtocols.responses)
    expect(testProtocols.responses.client.textOf(reply.json)).toBe(greetingText)
    expect(dig(parseJson(gateway().one.requests[0]?.body ?? ''), 'input', 0)).toEqual(summary)
  })

  test.each(others)('is not continued over $name without its history', async (to) => {
    const reply = await goOn(to)
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ error: { code: 'invalid_request', param: 'input' } })
    expect(reply.text).toContain('compacted')
    expect(gateway().one.requests).toHaveLength(0)
  })
})

describe('a conversation that Anthropic has summarised', () => {
  /** Everything before this block is ignored, so without the block the conversation would be lost. */
  const block = { type: 'compaction', content: 'They said good morning.' }
  const asked = (model: string) => ({
    model,
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Good morning' },
      { role: 'assistant', content: [block, { type: 'text', text: 'Hello' }] },
      { role: 'user', content: 'And?' },
    ],
  })

  test.each(allProtocols)('over $name', async ({ name }) => {
    const { ask, one } = gateway()
    const reply = await ask({ key: 'any', path: '/v1/messages', body: asked(viaModel(name)) })
    if (name === 'messages') {
      expect(reply.status).toBe(200)
      expect(one.requests[0]?.body).toContain(JSON.stringify(block))
      return
    }
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('compacted by another upstream')
    expect(one.requests).toHaveLength(0)
  })
})
