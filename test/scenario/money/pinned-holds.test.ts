import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import { dig } from '../../support/protocols/test-protocol.ts'
import { response, text } from './feature-helpers.ts'

/*
 * The next turn of a response that an upstream stores has at most the tokens of the last turn before its own input. The
 * account has 0.05 US$; a whole window of the model costs 0.32.
 */
let gateway: TestGateway
/** Each test begins with all of the account's money. */
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(async () => {
  await expectOrder(gateway)
  await gateway.stop()
})

const path = '/v1/responses'
const model = viaModel('responses')
const key = 'smallAny'
const first = { model, input: 'Hello', max_output_tokens: 16 }
const lastTurn = { input_tokens: 1_000, output_tokens: 50, total_tokens: 1_050 }

let made = 0

/** A first turn that its upstream stores; returns its id. */
async function begin(extra: JsonObject = {}, usage: unknown = lastTurn): Promise<string> {
  made += 1
  const id = `resp_theirs${made}`
  const body = JSON.stringify(response({ id, output: [text], usage }))
  gateway.one.script('next', { kind: 'reply', body })
  const reply = await gateway.ask({ key, path, body: { ...first, ...extra } })
  expect(reply.status).toBe(200)
  return id
}

async function goOn(id: string, usage: object, extra: JsonObject = {}) {
  const next = { ...first, previous_response_id: id, ...extra }
  const body = JSON.stringify(response({ id: `${id}next`, output: [text], usage }))
  gateway.one.script('next', { kind: 'reply', body })
  const reply = await gateway.ask({ key, path, body: next })
  gateway.one.reset()
  return { reply, bytes: Buffer.byteLength(JSON.stringify(next)) }
}

describe('continuing a response that its upstream stores', () => {
  test('holds the last turn and the new input, and not a whole window', async () => {
    const id = await begin()
    // The maximum: all earlier tokens, and a token for each new byte.
    const usage = { input_tokens: 1_050 + 100, output_tokens: 16 }
    const { reply, bytes } = await goOn(id, usage)
    expect(bytes).toBeGreaterThan(100)
    expect(reply.status).toBe(200)
    expect((await gateway.money.entry(reply.requestId)).flags).not.toContain('overage')
  })

  test('the third turn holds the tokens of the second', async () => {
    const id = await begin()
    expect((await goOn(id, { input_tokens: 1_100, output_tokens: 10 })).reply.status).toBe(200)
    const { reply } = await goOn(`${id}next`, { input_tokens: 1_200, output_tokens: 10 })
    expect(reply.status).toBe(200)
    expect((await gateway.money.entry(reply.requestId)).flags).not.toContain('overage')
  })

  const unknown: readonly { title: string; extra: JsonObject; usage: unknown; next: JsonObject }[] =
    [
      { title: 'the last turn is unknown', extra: {}, usage: null, next: {} },
      {
        title: 'the last turn has no usage',
        extra: {},
        usage: { input_tokens: 0, output_tokens: 0 },
        next: {},
      },
      {
        title: 'the upstream truncates the history',
        extra: { truncation: 'auto' },
        usage: lastTurn,
        next: {},
      },
      {
        title: 'the new input contains content that the gateway cannot see',
        extra: {},
        usage: lastTurn,
        next: {
          input: [
            { role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example/f' }] },
          ],
        },
      },
      {
        title: 'the last turn nearly filled the context window',
        extra: {},
        usage: { input_tokens: 15_000, output_tokens: 10 },
        next: {},
      },
    ]

  test.each(unknown)('$title: a request above the available money is refused', async (row) => {
    const id = await begin(row.extra, row.usage)
    const { reply } = await goOn(id, lastTurn, row.next)
    expect([reply.status, dig(reply.json, 'error', 'code')]).toEqual([403, 'insufficient_credit'])
  })
})
