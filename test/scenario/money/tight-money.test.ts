import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { chunk, done, roleChunk, stopChunk, usageChunk } from '../../support/gateway/chat-events.ts'
import { credits, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * The account `tight` has 0.02 US$: enough for about 1,800 tokens of output, not for the 16,384 of the model. The model
 * does not reason, so a stream may begin with a part of the money.
 */
const gateway = withGateway()
const model = viaModel('chat-completions')

/** A word that is one token with any tokenizer, so that the estimate is close. */
const words = (count: number) => Array.from({ length: count }, () => chunk(' gate'))
const usage = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 }

/** Each protocol's finish reason for a reached limit. */
const cutWords: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': '"finish_reason":"length"',
  responses: '"type":"response.incomplete"',
  messages: '"stop_reason":"max_tokens"',
  'generate-content': '"finishReason":"MAX_TOKENS"',
}

function withoutLimit(body: JsonObject): JsonObject {
  const { max_tokens: _1, max_completion_tokens: _2, max_output_tokens: _3, ...rest } = body
  const { generationConfig: _4, ...others } = rest
  return others
}

describe('a reply that is not streamed, without an output limit', () => {
  const clients = Object.values(testProtocols).filter(({ name }) => name !== 'messages')
  test.each(clients)('$name: gets a limit that the credit covers', async ({ client }) => {
    const { ask, one, money } = gateway()
    one.script('next', {
      kind: 'reply',
      body: JSON.stringify(
        testProtocols['chat-completions'].upstream.reply({ pieces: ['short'], hasUsage: true }),
      ),
    })
    const reply = await ask({
      key: 'tightAny',
      path: client.path(model, false),
      body: withoutLimit(client.body(model, false)),
    })
    expect(reply.status).toBe(200)
    const sent = parseJson(one.requests[0]?.body ?? '')
    const limit = isObject(sent) ? Number(sent['max_tokens'] ?? sent['max_completion_tokens']) : 0
    expect(limit).toBeGreaterThan(256)
    expect(limit).toBeLessThan(2_000)
    expect((await money.usageRow(reply.requestId)).status).toBe(200)
  })

  test('is refused when the credit covers too little for an answer', async () => {
    const { ask, one } = gateway()
    const reply = await ask({
      key: 'broke',
      body: { model: 'gpt-x', messages: [{ role: 'user', content: 'Good morning' }] },
    })
    expect(reply.status).toBe(403)
    expect(one.requests).toHaveLength(0)
  })

  test('a limit that the client has set is never lowered: the request is refused', async () => {
    const { ask, one } = gateway()
    const body = {
      model,
      max_tokens: 16_000,
      messages: [{ role: 'user', content: 'Good morning' }],
    }
    const reply = await ask({ key: 'tightAny', body })
    expect(reply.status).toBe(403)
    expect(one.requests).toHaveLength(0)
  })
})

describe('a stream that the credit covers only in part', () => {
  test('that stays short ends normally', async () => {
    const { ask, one, money } = gateway()
    const events = [roleChunk(), ...words(50), stopChunk(), usageChunk(usage), done]
    one.script('next', { kind: 'events', events, end: 'clean' })
    const body = { model, stream: true, messages: [{ role: 'user', content: 'Good morning' }] }
    const reply = await ask({ key: 'tightAny', body })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('"finish_reason":"stop"')
    expect(reply.text.endsWith(done)).toBe(true)
    expect(await money.usageRow(reply.requestId)).toMatchObject({ status: 200, reason: null })
    expect(await money.entry(reply.requestId)).toMatchObject({ output_tokens: 50, flags: '' })
  })

  test.each(Object.values(testProtocols))(
    '$name: is cut truthfully when the money is gone',
    async ({ name, client }) => {
      const { ask, one, money } = gateway()
      one.script('next', { kind: 'events', events: [roleChunk(), ...words(4_000)], end: 'stall' })
      const body = {
        ...withoutLimit(client.body(model, true)),
        ...(name === 'messages' ? { max_tokens: 16_000 } : {}),
      }
      const before = await money.balance('tight')
      const reply = await ask({ key: 'tightAny', path: client.path(model, true), body })
      expect(reply.status).toBe(200)
      expect(reply.text).toContain(cutWords[name])
      expect(reply.text).not.toContain('"error":{')
      const row = await money.usageRow(reply.requestId)
      expect(row).toMatchObject({ status: 200, reason: 'credit_cut', stream: 1 })
      const entry = await money.entry(reply.requestId)
      expect(entry.usage_source).toBe('estimated')
      // Nearly all of the money was used, and not a nano more.
      expect(entry.cost_nano).toBeLessThanOrEqual(before)
      expect(entry.output_tokens).toBeGreaterThan(500)
      await topUp(entry.cost_nano)
    },
  )

  async function topUp(amount: bigint): Promise<void> {
    const { engine } = gateway()
    await engine.db
      .insertInto('credit')
      .values({
        id: `again-${amount}-${Math.random()}`,
        account_id: 'tight',
        amount_nano: amount,
        source: 'test',
        external_id: String(Math.random()),
        reason: 'for the next row',
        created_at: 1,
      })
      .execute()
    await engine.db
      .updateTable('account')
      .set((eb) => ({ available_nano: eb('available_nano', '+', amount) }))
      .where('id', '=', 'tight')
      .execute()
  }

  test('the account began with the amount that the table assumes', () => {
    expect(credits.tight).toBe(20_000_000n)
  })
})
