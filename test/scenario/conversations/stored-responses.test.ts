import { describe, expect, test } from 'bun:test'
import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import type { TestGateway } from '../../support/gateway/start-gateway.ts'
import { startGateway } from '../../support/gateway/start-gateway.ts'
import { type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  dig,
  greeting,
  greetingText,
  prompt,
  type ScriptedReply,
  type TestProtocol,
  toolInput,
  toolName,
} from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const path = '/v1/responses'
const { client } = testProtocols.responses
/** Upstreams without stored responses: the gateway stores them. */
const forgetful = allProtocols.filter(({ name }) => name !== 'responses')
const hourMs = 60 * 60_000

let given = 0

function answer(to: TestProtocol, said: ScriptedReply = greeting): Behaviour {
  given += 1
  const id = `resp_theirs${given}`
  return { kind: 'reply', body: JSON.stringify(to.upstream.reply({ id, ...said })) }
}

interface Turn {
  readonly at?: TestGateway
  readonly key?: KeyName
  readonly said?: ScriptedReply
  readonly extra?: JsonObject
}

/** One prompt and its answer. */
async function say(to: TestProtocol, turn: Turn = {}): Promise<Reply> {
  const { at = gateway(), key = 'any', said, extra } = turn
  at.one.script('next', answer(to, said))
  return at.ask({ key, path, body: { ...client.body(viaModel(to.name), false), ...extra } })
}

async function begin(to: TestProtocol, turn: Turn = {}): Promise<string> {
  const reply = await say(to, turn)
  expect(reply.status).toBe(200)
  const id = reply.json['id']
  expect(id).toBeString()
  return String(id)
}

function lastSent(at = gateway()): string {
  return at.one.requests.at(-1)?.body ?? ''
}

function expectOrder(text: string, words: readonly string[]) {
  let from = -1
  for (const word of words) {
    const found = text.indexOf(word, from + 1)
    expect({ word, isThere: found > from }).toEqual({ word, isThere: true })
    from = found
  }
}

const next = (id: string, input: unknown = 'And now?') => ({ input, previous_response_id: id })

describe('a request that continues an earlier response', () => {
  test.each(forgetful)('over $name: the upstream gets the whole conversation again', async (to) => {
    const id = await begin(to)
    expect(id).toMatch(/^resp_[A-Za-z0-9]{20,}$/)
    const reply = await say(to, { extra: next(id), said: { pieces: ['Later.'] } })
    expect(reply.status).toBe(200)
    expect(reply.json['previous_response_id']).toBe(id)
    expect(reply.json['id']).not.toBe(id)
    const sent = lastSent()
    expectOrder(sent, [prompt, greetingText, 'And now?'])
    expect(sent).not.toContain('previous_response_id')
    expect(sent).not.toContain('resp_')
    // A third turn continues the second, and so the first.
    const third = await say(to, { extra: next(String(reply.json['id']), 'And then?') })
    expect(third.status).toBe(200)
    expectOrder(lastSent(), [prompt, greetingText, 'And now?', 'Later.', 'And then?'])
  })

  test.each(forgetful)('over $name: after a stream', async (to) => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'events', events: to.upstream.events(greeting), end: 'clean' })
    const body = client.body(viaModel(to.name), true)
    const events = readEvents((await ask({ key: 'any', path, body })).text)
    const id = String(dig(events.at(-1)?.data, 'response', 'id'))
    expect(dig(events[0]?.data, 'response', 'id')).toBe(id)
    expect((await say(to, { extra: next(id) })).status).toBe(200)
    expectOrder(lastSent(), [prompt, greetingText, 'And now?'])
  })

  test.each(forgetful)('over $name: in a stream', async (to) => {
    const { ask, one } = gateway()
    const id = await begin(to)
    one.script('next', { kind: 'events', events: to.upstream.events(greeting), end: 'clean' })
    const body = { ...client.body(viaModel(to.name), true), ...next(id) }
    const reply = await ask({ key: 'any', path, body })
    expect(client.streamedText(readEvents(reply.text))).toBe(greetingText)
    expectOrder(lastSent(), [prompt, greetingText, 'And now?'])
  })

  test.each(forgetful)('over $name: with the result of a call', async (to) => {
    const call = { id: 'call_theirs1', name: toolName, input: toolInput }
    const extra = { ...client.toolFields, store: true }
    const first = await say(to, { said: { call }, extra })
    const [callId] = client.callIds(first.json)
    const result = [{ type: 'function_call_output', call_id: callId, output: 'sunny' }]
    const reply = await say(to, { extra: { ...extra, ...next(String(first.json['id']), result) } })
    expect(reply.status).toBe(200)
    expectOrder(lastSent(), [prompt, toolName, 'Łódź', 'sunny'])
  })

  test.each(forgetful)('over $name: instructions are not inherited', async (to) => {
    const id = await begin(to, { extra: { instructions: 'Speak like a pirate.' } })
    expect(lastSent()).toContain('pirate')
    await say(to, { extra: { ...next(id), instructions: 'Speak plainly.' } })
    expect(lastSent()).toContain('plainly')
    expect(lastSent()).not.toContain('pirate')
  })

  test('over an upstream of another protocol than the first', async () => {
    const id = await begin(testProtocols.messages)
    for (const to of allProtocols) {
      const reply = await say(to, { extra: next(id) })
      expect(reply.status).toBe(200)
      expectOrder(lastSent(), [prompt, greetingText, 'And now?'])
      expect(lastSent()).not.toContain(id)
    }
  })

  test('a part of it may be referred to by its id', async () => {
    const first = await say(testProtocols.messages)
    const id = String(first.json['id'])
    const itemId = dig(first.json, 'output', 0, 'id')
    const input = [
      { type: 'item_reference', id: itemId },
      { role: 'user', content: 'That one?' },
    ]
    expect((await say(testProtocols.messages, { extra: next(id, input) })).status).toBe(200)
    const unknown = [{ type: 'item_reference', id: 'msg_nobody' }]
    const refused = await say(testProtocols.messages, { extra: next(id, unknown) })
    expect(refused.status).toBe(400)
    expect(client.readFault(refused.json)).toMatchObject({ field: 'input[0]' })
  })

  test('the earlier turns are charged again', async () => {
    const { money } = gateway()
    const id = await begin(testProtocols.messages)
    const reply = await say(testProtocols.messages, { extra: next(id) })
    expect(await money.entry(reply.requestId)).toMatchObject({ cost_nano: 4_000_000n })
  })
})

describe('an unknown id', () => {
  async function expectNotFound(to: TestProtocol, turn: Turn) {
    const { one, money } = gateway()
    const before = { sent: one.requests.length, ...(await money.counts()) }
    const reply = await say(to, turn)
    expect(reply.status).toBe(400)
    expect(client.readFault(reply.json)).toMatchObject({
      word: 'invalid_request_error',
      code: 'previous_response_not_found',
      field: 'previous_response_id',
    })
    expect(one.requests).toHaveLength(before.sent)
    const reason = 'previous_response_not_found'
    expect(await money.usageRow(reply.requestId)).toMatchObject({ status: 400, reason })
    expect((await money.counts()).entries).toBe(before.entries)
    one.reset()
  }

  test.each(allProtocols)('over $name: with an unknown id', async (to) => {
    for (const id of ['resp_nobody', '', '../x', 'x'.repeat(5_000), 'resp_%00']) {
      await expectNotFound(to, { extra: next(id) })
    }
  })

  test.each(allProtocols)('over $name: of another key', async (to) => {
    const id = await begin(to)
    await expectNotFound(to, { key: 'strict', extra: next(id) })
  })

  test.each(allProtocols)('over $name: of a response that was not to be stored', async (to) => {
    const id = await begin(to, { extra: { store: false } })
    await expectNotFound(to, { extra: next(id) })
  })

  test.each(allProtocols)('over $name: with an expired response', async (to) => {
    const { clock } = gateway()
    const id = await begin(to)
    const nowMs = Date.now()
    clock.freezeAt(nowMs + hourMs - 60_000)
    expect((await say(to, { extra: next(id) })).status).toBe(200)
    clock.freezeAt(nowMs + hourMs + 60_000)
    await expectNotFound(to, { extra: next(id) })
  })

  test.each(forgetful)('over $name: of a stream that broke', async (to) => {
    const { ask, one } = gateway()
    const events = to.upstream.events(greeting).slice(0, -to.upstream.tailLength)
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'any', path, body: client.body(viaModel(to.name), true) })
    const id = dig(readEvents(reply.text).at(-1)?.data, 'response', 'id')
    expect(id).toBeString()
    await expectNotFound(to, { extra: next(String(id)) })
  })

  test('that is not text', async () => {
    for (const id of [7, {}, [], true]) {
      const extra = { previous_response_id: id }
      const reply = await say(testProtocols.messages, { extra })
      expect(reply.status).toBe(400)
      const field = 'previous_response_id'
      expect(client.readFault(reply.json)).toMatchObject({ code: 'invalid_request', field })
      gateway().one.reset()
    }
  })

  test('counting does not see it either', async () => {
    const { ask, one } = gateway()
    for (const to of allProtocols) {
      const id = await begin(to)
      const body = { model: viaModel(to.name), ...next(id) }
      one.reset()
      const reply = await ask({ key: 'strict', path: `${path}/input_tokens`, body })
      expect(reply.status).toBe(400)
      expect(client.readFault(reply.json)).toMatchObject({ code: 'previous_response_not_found' })
      expect(one.requests).toHaveLength(0)
    }
  })
})

describe('another gateway on the same database', () => {
  test('continues the response, also after the first has stopped', async () => {
    const here = gateway()
    const first = await startGateway({ beside: here })
    const id = await begin(testProtocols.messages, { at: first })
    const theirs = await begin(testProtocols.responses, { at: first })
    await first.stop()
    const second = await startGateway({ beside: here })
    try {
      const reply = await say(testProtocols.messages, { at: second, extra: next(id) })
      expect(reply.status).toBe(200)
      expectOrder(lastSent(here), [prompt, greetingText, 'And now?'])
      const pinned = await say(testProtocols.responses, { at: second, extra: next(theirs) })
      expect(pinned.status).toBe(200)
      expect(parseJson(lastSent(here))).toMatchObject(next(theirs))
      const read = await second.ask({ key: 'any', path: `${path}/${id}` })
      expect(read.json).toMatchObject({ id, object: 'response' })
      const other = await say(testProtocols.messages, {
        at: second,
        key: 'strict',
        extra: next(id),
      })
      expect(other.status).toBe(400)
    } finally {
      await second.stop()
    }
  })
})
