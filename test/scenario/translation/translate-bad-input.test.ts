import { afterEach, describe, expect, test } from 'bun:test'
import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import type { TestProtocol } from '../../support/protocols/test-protocol.ts'
import { allPairs, allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'
import { repeats } from '../../support/repeats.ts'
import { richBodies } from './translate-rich-bodies.ts'

const gateway = withGateway()
const newcomers = allProtocols.filter(({ name }) => name !== 'chat-completions')

/** After each test the gateway serves the next client. */
afterEach(async () => {
  expect((await gateway().ask({ key: 'plain', path: '/v1/models' })).status).toBe(200)
})

type Body = JsonObject | string | Uint8Array<ArrayBuffer>

function send(from: TestProtocol, to: TestProtocol, body: Body): Promise<Reply> {
  const model = viaModel(to.name)
  const path = from.client.path(model, false)
  return gateway().ask({ key: 'any', method: 'POST', path, body })
}

async function expectRefused(
  from: TestProtocol,
  bodies: readonly Body[],
  { field, targets = allProtocols }: { field?: string; targets?: readonly TestProtocol[] } = {},
): Promise<void> {
  const { one, money } = gateway()
  const before = await money.counts()
  for (const body of bodies) {
    for (const to of targets) {
      const reply = await send(from, to, body)
      expect(reply.status).toBe(400)
      const told = from.client.readFault(reply.json)
      expect(told).toMatchObject({ reason: 'invalid_request' })
      expect(reply.text.length).toBeLessThan(1_000)
      if (field === undefined) continue
      expect(told.message).toContain(field)
      // The messages protocol has no member for the field; generate-content accepts a single content as a list of one.
      if (from.name !== 'messages') expect(told.field).toStartWith(field)
    }
  }
  expect(one.requests).toHaveLength(0)
  expect((await money.counts()).entries).toBe(before.entries)
}

describe('not a request', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const rows: [name: string, body: Body][] = [
    ['an empty body', ''],
    ['blanks', ' \r\n\t '],
    ['words', 'hello'],
    ['a truncated object', '{"model":"x"'],
    ['two objects', '{}{}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '42'],
    ['a duplicate name', '{"model":"via-chat","model":"via-chat","input":"a","input":"b"}'],
    ['__proto__', '{"model":"via-chat","__proto__":{"input":"a"}}'],
    ['20 levels past the limit', `{"model":"via-chat","input":"a","deep":${deep(148)}}`],
    ['a million levels', `{"contents":${deep(1_000_000)}}`],
    ['a body that is not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['an empty object', '{}'],
  ]
  for (const [at, [name, body]] of rows.entries()) {
    // A body that cannot be read is refused before anybody knows where it would go.
    const targets = allProtocols.filter((_, index) => index === at % allProtocols.length)
    test.each(newcomers)(`$name: ${name}`, (from) => expectRefused(from, [body], { targets }))
  }
})

describe('a field of the wrong type', () => {
  const none = undefined
  const wrong: Record<string, Record<string, readonly unknown[]>> = {
    responses: {
      model: [none, null, '', 1, true, [], {}],
      input: [none, null, [], 7, true, {}],
      'input[0]': ['hi', null, 1, []],
      stream: ['true', 1, {}, []],
      max_output_tokens: ['1', -1, 1.5, 1e300, {}],
      temperature: ['1', {}, []],
      tools: ['x', {}, 1],
      'tools[0]': ['x', null, 1],
      text: ['x', 1, []],
      reasoning: ['low', 1, []],
      store: ['x', 1, {}],
      metadata: ['x', 1, []],
    },
    messages: {
      model: [none, null, '', 1, true, [], {}],
      messages: [none, null, [], '', 'hi', {}, 1],
      'messages[0]': ['hi', null, 1, []],
      max_tokens: [none, null, '1', -1, 1.5, 1e300, {}],
      stream: ['true', 1, {}, []],
      system: [7, true, {}],
      temperature: ['1', {}, []],
      tools: ['x', {}, 1],
      tool_choice: ['auto', 1, []],
      thinking: ['enabled', 1, []],
      stop_sequences: ['END', 1, {}],
      metadata: ['x', 1, []],
    },
    'generate-content': {
      contents: [none, null, [], 7, true],
      'contents[0]': [null, 1, []],
      generationConfig: ['x', 1, []],
    },
  }
  for (const [name, fields] of Object.entries(wrong)) {
    for (const [field, values] of Object.entries(fields)) {
      test(`${name}: ${field}`, async () => {
        const from = newcomers.find((each) => each.name === name) ?? testProtocols.responses
        const outer = field.replace(/\[0\]$/, '')
        const usual = from.client.body(viaModel('chat-completions'), false)
        const bodies = values.map((value) => ({
          ...usual,
          [outer]: outer === field ? value : [value],
        }))
        await expectRefused(from, bodies, { field })
      })
    }
  }
})

describe('any odd value at any position', () => {
  const odd = [null, 7, -1.5, true, 'x', '', [], {}, [null], { type: 'x' }, 1e300, '\u0000\ud800']

  test.each(allPairs)('$pair: a 4xx or an answer, never a failure', async ({ from, to }) => {
    const { money } = gateway()
    const before = await money.counts()
    const model = viaModel(to.name)
    // Each of the four upstreams gets a quarter of the variants.
    const share = allProtocols.indexOf(to)
    const all = variants(richBodies[from.name](model), odd)
    const shared = all.filter((_, index) => index % allProtocols.length === share)
    // Every place with half of the values, and every value at half of the places; all of them in a long run.
    const bodies = shared.filter((_, index) => index % 2 === 0 || repeats(1) > 1)
    expect(bodies.length).toBeGreaterThan(75)
    let answered = 0
    const batches = Array.from({ length: 16 }, async (_, lane) => {
      for (let index = lane; index < bodies.length; index += 16) {
        const body = bodies[index] ?? {}
        const reply = await send(from, to, body)
        if (reply.status === 200) answered += 1
        const isTold =
          reply.status === 200 || from.client.readFault(reply.json).message !== undefined
        const isFine = reply.status >= 200 && reply.status < 500 && isTold
        if (!isFine) throw new Error(`${reply.status} ${reply.text} for ${JSON.stringify(body)}`)
      }
    })
    await Promise.all(batches)
    expect(answered).toBeGreaterThan(0)
    const entries = (await money.counts()).entries - before.entries
    expect(entries).toBeGreaterThanOrEqual(answered)
  })

  /** The body once for each of its positions and each odd value there. */
  function variants(body: JsonObject, values: readonly unknown[]): JsonObject[] {
    const found: JsonObject[] = []
    const visit = (value: unknown, put: (inner: unknown) => unknown) => {
      for (const each of values) {
        const changed = put(each)
        if (isObject(changed)) found.push(changed)
      }
      if (Array.isArray(value)) {
        value.forEach((inner: unknown, at) => {
          visit(inner, (next) =>
            put(value.map((same: unknown, index) => (index === at ? next : same))),
          )
        })
      } else if (isObject(value)) {
        for (const [name, inner] of Object.entries(value)) {
          visit(inner, (next) => put({ ...value, [name]: next }))
        }
      }
    }
    visit(body, (inner) => inner)
    return found
  }
})
