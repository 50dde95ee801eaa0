import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import {
  prompt,
  type ScriptedReply,
  type TestProtocol,
  toolInput,
  toolName,
} from '../../support/protocols/test-protocol.ts'
import { allPairs, allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * The gateway reads a body of more than 1 MiB without its long strings and restores them when it is sent. The upstream
 * must get every character, and no trace of this.
 */
const gateway = withGateway()
/** Text with characters beyond Latin-1, lone surrogates, and everything that must be escaped. */
const words = `Grüße, 世界 🌍: "quoted" \\ and a line\n\ttoo; ${'plain '.repeat(40)}`
const long = `It begins. ${words.repeat(4_200)}It ends.`

const lengthen = (body: JsonObject): JsonObject => {
  const text = JSON.stringify(body).replaceAll(prompt, () => JSON.stringify(long).slice(1, -1))
  const lengthened = parseJson(text)
  if (!isObject(lengthened)) throw new Error('the body is not an object')
  return lengthened
}

/** The number of occurrences of exactly this string in a value. */
function countIn(value: unknown, string: string): number {
  if (typeof value === 'string') return value === string ? 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + countIn(each, string), 0)
}

function lastSent(): string {
  return gateway().one.requests.at(-1)?.body ?? ''
}

function answer(to: TestProtocol, said: ScriptedReply) {
  gateway().one.script('next', { kind: 'reply', body: JSON.stringify(to.upstream.reply(said)) })
}

async function send(from: TestProtocol, to: TestProtocol, body: JsonObject, said: ScriptedReply) {
  answer(to, said)
  const path = from.client.path(viaModel(to.name), false)
  const reply = await gateway().ask({ key: 'any', path, body })
  expect(reply.status).toBe(200)
  return reply
}

describe('the upstream gets the whole text', () => {
  test.each(allPairs)('$from.name over $to.name', async ({ from, to }) => {
    const body = lengthen(from.client.body(viaModel(to.name), false))
    await send(from, to, body, { pieces: ['Read.'] })
    const sent = parseJson(lastSent())
    expect(countIn(sent, long)).toBe(1)
    if (from !== to || !isObject(sent)) return
    expect({ ...sent, model: undefined }).toEqual({ ...body, model: undefined })
  })
})

describe('an envelope with reasoning is opened in a long body, too', () => {
  const token = 'EvcBCkYIAxgCKkDx+/pQ2AOb7//++abc0123456789ABCDEFGHijklmnopqrstuvw=='
  const thinking = allPairs.filter(({ from, to }) => from === to || to.name !== 'chat-completions')
  test.each(thinking)('$from.name over $to.name', async ({ from, to }) => {
    const model = viaModel(to.name)
    const first = lengthen({ ...from.client.body(model, false), ...from.client.toolFields })
    const call = { id: `call_long_${from.name}_${to.name}`, name: toolName, input: toolInput }
    const said = { thought: { text: 'They want the weather.', token }, call }
    const reply = await send(from, to, first, said)
    const next = from.client.goOn(first, reply.json)
    await send(from, to, next, { pieces: ['Sunny.'] })
    const sent = lastSent()
    expect(countIn(parseJson(sent), long)).toBe(1)
    expect(to.upstream.tokensOf(parseJson(sent))).toContain(token)
    for (const envelope of ['gw1.', 'Z3cxL']) expect(sent).not.toContain(envelope)
  })
})

describe('an earlier response', () => {
  const { client } = testProtocols.responses
  const path = '/v1/responses'
  const forgetful = allProtocols.filter(({ name }) => name !== 'responses')

  test.each(forgetful)('over $name: a long prompt, followed by another one', async (to) => {
    const { ask } = gateway()
    const body = lengthen(client.body(viaModel(to.name), false))
    answer(to, { id: `resp_long_${to.name}`, pieces: ['Read.'] })
    const first = await ask({ key: 'any', path, body })
    expect(first.status).toBe(200)
    const next = { ...body, input: `More. ${long}`, previous_response_id: first.json['id'] }
    answer(to, { id: `resp_more_${to.name}`, pieces: ['Read, too.'] })
    const second = await ask({ key: 'any', path, body: next })
    expect(second.status).toBe(200)
    const sent = parseJson(lastSent())
    expect(countIn(sent, long)).toBe(1)
    expect(countIn(sent, 'Read.')).toBe(1)
    expect(countIn(sent, `More. ${long}`)).toBe(1)
  })
})

describe('a count', () => {
  const counters: readonly [ProtocolName, (model: string) => string, (m: string) => JsonObject][] =
    [
      ['responses', () => '/v1/responses/input_tokens', (model) => ({ model, input: long })],
      [
        'messages',
        () => '/v1/messages/count_tokens',
        (model) => ({ model, messages: [{ role: 'user', content: long }] }),
      ],
      [
        'generate-content',
        (model) => `/v1beta/models/${model}:countTokens`,
        () => ({ contents: [{ role: 'user', parts: [{ text: long }] }] }),
      ],
    ]
  const counts: Readonly<Record<string, JsonObject>> = {
    responses: { object: 'response.input_tokens', input_tokens: 77 },
    messages: { input_tokens: 77 },
    'generate-content': { totalTokens: 77 },
  }
  const pairs = counters.flatMap((from) => counters.map(([to]) => ({ from, to, name: from[0] })))
  test.each(pairs)('$name over $to', async ({ from: [, path, bodyOf], to }) => {
    const { ask, one } = gateway()
    const model = viaModel(to)
    one.script('next', { kind: 'reply', body: JSON.stringify(counts[to]) })
    const reply = await ask({ key: 'any', path: path(model), body: bodyOf(model) })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('77')
    expect(countIn(parseJson(lastSent()), long)).toBe(1)
  })
})
