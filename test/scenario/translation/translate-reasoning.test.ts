import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  type ScriptedReply,
  type TestProtocol,
  toolInput,
  toolName,
} from '../../support/protocols/test-protocol.ts'
import {
  allPairs,
  allProtocols,
  crossPairs,
  type Pair,
} from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
/** With all characters of base64, for a vendor that checks every byte. */
const token = 'EvcBCkYIAxgCKkDx+/pQ2AOb7//++abc0123456789ABCDEFGHijklmnopqrstuvw=='
const envelopes = ['gw1.', 'Z3cxL']

/** An unknown server of chat-completions gets no reasoning back in a translated request. */
const takesNone = ({ from, to }: Pair) => to.name === 'chat-completions' && from !== to
const signing = allPairs.filter((pair) => !takesNone(pair))
const signingAcross = crossPairs.filter((pair) => !takesNone(pair))

/** Every conversation has its own call, because the memory belongs to the call. */
let calls = 0

function thoughtful(): ScriptedReply {
  calls += 1
  const call = { id: `call_theirs${calls}`, name: toolName, input: toolInput }
  return { thought: { text: 'They want the weather.', token }, call }
}

function answer({ upstream }: TestProtocol, said: ScriptedReply, isStream = false): Behaviour {
  return isStream
    ? { kind: 'events', events: upstream.events(said), end: 'clean' }
    : { kind: 'reply', body: JSON.stringify(upstream.reply(said)) }
}

function firstBody({ client }: TestProtocol, model: string, isStream = false) {
  return { ...client.body(model, isStream), ...client.toolFields }
}

/** The first step of a tool loop: reasoning and a call. */
async function begin({ from, to }: Pair) {
  const { ask, one } = gateway()
  const model = viaModel(to.name)
  one.script('next', answer(to, thoughtful()))
  const body = firstBody(from, model)
  const reply = await ask({ key: 'any', path: from.client.path(model, false), body })
  expect(reply.status).toBe(200)
  expect(from.client.callIds(reply.json)).toHaveLength(1)
  return { body, reply }
}

/** The next step, at an upstream; returns the request that it got. */
async function goOn(from: TestProtocol, to: TestProtocol, body: object, key: KeyName = 'any') {
  const { ask, one } = gateway()
  const model = viaModel(to.name)
  one.script('next', answer(to, { pieces: ['Sunny.'] }))
  const named = 'model' in body ? { ...body, model } : body
  const reply = await ask({ key, path: from.client.path(model, false), body: named })
  expect(reply.status).toBe(200)
  expect(from.client.textOf(reply.json)).toBe('Sunny.')
  const text = one.requests.at(-1)?.body ?? ''
  // The call and its result are always sent, with or without the reasoning.
  expect(text).toContain(toolName)
  expect(text).toContain('sunny')
  return { reply, text, tokens: to.upstream.tokensOf(parseJson(text)) }
}

function expectNoToken(text: string) {
  expect(text).not.toContain(token)
  for (const envelope of envelopes) expect(text).not.toContain(envelope)
}

describe('the token of reasoning', () => {
  test.each(signing)('$pair: comes back byte for byte', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    const { text, tokens } = await goOn(from, to, from.client.goOn(body, reply.json))
    expect(tokens).toEqual([token])
    for (const envelope of envelopes) expect(text).not.toContain(envelope)
  })

  test.each(crossPairs)('$pair: is shown to the client only in an envelope', async (pair) => {
    const { reply } = await begin(pair)
    expect(reply.text).not.toContain(token)
    expect(envelopes.some((envelope) => reply.text.includes(envelope))).toBe(true)
  })

  test.each(allPairs)('$pair: is not shown to another vendor', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    for (const other of allProtocols) {
      if (other === to || (from === to && other.name !== 'chat-completions')) continue
      const next = await goOn(from, other, from.client.goOn(body, reply.json))
      expectNoToken(next.text)
    }
  })

  test.each(allPairs.filter(takesNone))('$pair: keeps its position', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    expectNoToken((await goOn(from, to, from.client.goOn(body, reply.json))).text)
  })

  test.each(signingAcross)('$pair: comes back after a turn at another vendor', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    const echoed = from.client.goOn(body, reply.json)
    const other = allProtocols.find((each) => each !== to && each !== from) ?? from
    await goOn(from, other, echoed)
    const { tokens } = await goOn(from, to, echoed)
    expect(tokens).toEqual([token])
  })
})

describe('a client that keeps only the call', () => {
  for (const isStream of [false, true]) {
    const shape = isStream ? 'a stream' : 'a whole answer'
    test.each(signingAcross)(
      `$pair, after ${shape}: the gateway restores the reasoning`,
      async (pair) => {
        const { ask, one } = gateway()
        const { from, to } = pair
        const { client } = from
        const model = viaModel(to.name)
        one.script('next', answer(to, thoughtful(), isStream))
        const path = client.path(model, isStream)
        const reply = await ask({ key: 'any', path, body: firstBody(from, model, isStream) })
        const [callId = ''] = isStream
          ? client.streamedCallIds(readEvents(reply.text))
          : client.callIds(reply.json)
        expect(callId).not.toBe('')
        const bare = client.goOnBare(firstBody(from, model), callId)
        const { tokens } = await goOn(from, to, bare)
        expect(tokens).toEqual([token])
        // Another key has another memory, and continues without.
        const stranger = await goOn(from, to, bare, 'strict')
        expectNoToken(stranger.text)
        // Another vendor does not get it either.
        const other = allProtocols.find((each) => each !== to && each !== from) ?? from
        expectNoToken((await goOn(from, other, bare)).text)
      },
    )
  }

  test.each(crossPairs)('$pair: after six hours it is forgotten', async (pair) => {
    const { clock } = gateway()
    const { from, to } = pair
    const { body, reply } = await begin(pair)
    const [callId = ''] = from.client.callIds(reply.json)
    clock.freezeAt(Date.now() + 6 * 60 * 60_000 + 60_000)
    const { text } = await goOn(from, to, from.client.goOnBare(body, callId))
    expectNoToken(text)
  })

  test.each(signingAcross)('$pair: the client’s own token takes precedence', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    const echoed = from.client.goOn(body, reply.json)
    const { tokens } = await goOn(from, to, echoed)
    expect(tokens).toHaveLength(1)
  })
})

describe('a foreign or damaged envelope', () => {
  test.each(crossPairs)('$pair: does not affect the request', async (pair) => {
    const { body, reply } = await begin(pair)
    const { from, to } = pair
    const text = JSON.stringify(from.client.goOn(body, reply.json))
    const damages = [
      text.replace(/gw1\.([se])\.[\w-]+\./g, 'gw1.$1.!!!.'),
      text.replace(/gw1\.([se])\.[\w-]+\.[\w-]+/g, 'gw1.$1.'),
      text.replace(/gw1\.([se])\.[\w-]+\.[\w-]+/g, 'gw1.$1.____.____'),
      text.replace(/Z3cxL[\w+/]+=*/g, 'Z3cxLnMu'),
    ]
    for (const damaged of damages) {
      const { ask, one } = gateway()
      const model = viaModel(to.name)
      one.script('next', answer(to, { pieces: ['Sunny.'] }))
      const path = from.client.path(model, false)
      const answered = await ask({ key: 'any', path, body: damaged })
      expect([200, 400]).toContain(answered.status)
    }
  })
})
