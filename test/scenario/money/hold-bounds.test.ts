import { afterEach, describe, expect, test } from 'bun:test'
import { costOf } from '../../../src/core/money/price.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { credits, type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * Clients send a body of a few hundred bytes that costs 190,000 tokens at the upstream, sixty times at once, with money
 * for hardly any of them. The models accept 128,000 tokens, at 2.50 US$ per million.
 */
const callers = 60
const tokens = 190_000
const quotaNano = 10_000_000n
const address = 'https://pictures.example/large.png'

const pictures: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: address } }] }],
  },
  responses: {
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: address }] }],
  },
  messages: {
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: address } }] },
    ],
  },
  'generate-content': {
    contents: [{ role: 'user', parts: [{ fileData: { fileUri: address } }] }],
  },
}

/** The upstream's usage report for the image, in its own protocol. */
const reports: Readonly<Record<ProtocolName, object>> = {
  'chat-completions': { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 },
  responses: { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 },
  messages: { input_tokens: tokens, output_tokens: 1 },
  'generate-content': {
    promptTokenCount: tokens,
    candidatesTokenCount: 1,
    totalTokenCount: tokens + 1,
  },
}

const gateways: TestGateway[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop()
})

const rows = allProtocols.flatMap((protocol) =>
  [false, true].map((isStream) => ({
    title: `${protocol.name}${isStream ? ', streamed' : ''}`,
    protocol,
    isStream,
  })),
)

async function storm(
  key: KeyName,
  { protocol, isStream }: (typeof rows)[number],
  asked: Partial<Record<ProtocolName, JsonObject>> = pictures,
) {
  const gateway = await startGateway()
  gateways.push(gateway)
  const { ask, one, money } = gateway
  one.script({}, { kind: 'lie-usage', usage: reports[protocol.name] })
  const model = viaModel(protocol.name)
  const body = { ...protocol.client.body(model, isStream), ...asked[protocol.name] }
  const path = protocol.client.path(model, isStream)
  const replies = await Promise.all(
    Array.from({ length: callers }, async () => {
      const reply = await ask({ key, path, body })
      expect(await money.overdrawn()).toEqual([])
      return reply
    }),
  )
  return { gateway, replies }
}

/** If the vendor's maximum for one image is known, a few requests are admitted, and the upstream reports too much. */
const isKnown: Readonly<Record<ProtocolName, boolean>> = {
  'chat-completions': false,
  responses: true,
  messages: true,
  'generate-content': false,
}

function countAnswered(replies: readonly Reply[]): number {
  return replies.filter(({ status }) => status === 200).length
}

describe(`${callers} at once with an image that costs ${tokens} tokens`, () => {
  test.each(rows)('$title: the credit is never negative', async (row) => {
    const { gateway, replies } = await storm('smallAny', row)
    const { money } = gateway
    await gateway.node.ledger.shipped()
    expect(await money.overdrawn()).toEqual([])
    expect(await money.balance('small')).toBeGreaterThanOrEqual(0n)
    expect(await money.spentBy('smallAny')).toBeLessThanOrEqual(credits.small)
    expect(countAnswered(replies) > 0).toBe(isKnown[row.protocol.name])
    for (const reply of replies) await expectDecided(gateway, reply)
    await expectOrder(gateway)
  })

  test.each(rows)('$title: a quota is never exceeded', async (row) => {
    const { gateway, replies } = await storm('cheapAny', row)
    const { money } = gateway
    await gateway.node.ledger.shipped()
    expect(await money.overdrawn()).toEqual([])
    expect(await money.spentBy('cheapAny')).toBeLessThanOrEqual(quotaNano)
    for (const reply of replies) await expectDecided(gateway, reply)
    await expectOrder(gateway)
  })
})

describe(`${callers} at once with a short text reported as ${tokens} tokens`, () => {
  test.each(rows)('$title: is charged as far as money is available', async (row) => {
    const { gateway, replies } = await storm('smallAny', row, {})
    await gateway.node.ledger.shipped()
    expect(countAnswered(replies)).toBeGreaterThan(0)
    for (const reply of replies) await expectDecided(gateway, reply)
    // All of the money was charged, and not a nano more.
    expect(await gateway.money.balance('small')).toBe(0n)
    await expectOrder(gateway)
  })
})

const price = {
  versionId: '',
  inputNano: 2_500_000_000n,
  cacheReadNano: 1_250_000_000n,
  cacheWrite5mNano: 2_500_000_000n,
  cacheWrite1hNano: 2_500_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 0n,
}

/** Refused with the amounts, or charged as far as money is available, with the rest recorded as uncovered. */
async function expectDecided(gateway: TestGateway, reply: Reply): Promise<void> {
  if (reply.status !== 200) {
    expect(reply.status).toBe(403)
    expect(reply.text).toMatch(/needs up to \$\d+\.\d+ and \$\d+\.\d+ is available/)
    return
  }
  const { money, engine } = gateway
  const entry = await money.entry(reply.requestId)
  const usage = {
    input: entry.input_tokens,
    cacheRead: entry.cache_read_tokens,
    cacheWrite5m: entry.cache_write_5m_tokens,
    cacheWrite1h: entry.cache_write_1h_tokens,
    output: entry.output_tokens,
    reasoning: entry.reasoning_tokens,
  }
  const row = await engine.db
    .selectFrom('uncovered')
    .selectAll()
    .where('request_id', '=', reply.requestId)
    .executeTakeFirst()
  const uncoveredNano = row?.uncovered_nano ?? 0n
  expect(entry.cost_nano + uncoveredNano).toBe(costOf(usage, price, 1_000_000n))
  expect(entry.flags).toContain('overage')
  expect(uncoveredNano).toBeGreaterThan(0n)
  expect((await money.usageRow(reply.requestId)).cost_nano).toBe(entry.cost_nano)
  expect(gateway.logLines.join('')).toContain(`"uncovered"`)
}
