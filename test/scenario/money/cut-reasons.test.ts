import { describe, expect, test } from 'bun:test'
import { addAccount } from '../../../src/accounts/account-store.ts'
import { putMember } from '../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { write } from '../../../src/store/changes/write.ts'
import { chunk, roleChunk } from '../../support/gateway/chat-events.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const model = viaModel('chat-completions')
/** Enough for about 1,800 tokens of output. */
const littleNano = 20_000_000n
const plentyNano = 10_000_000_000n

interface Short {
  readonly name: string
  readonly reason: string
  readonly creditNano?: bigint
  readonly account?: object
  readonly member?: object
  readonly key?: object
}

const rows: readonly Short[] = [
  { name: 'credit', reason: 'credit_cut', creditNano: littleNano },
  { name: 'quota', reason: 'key_quota_cut', key: { quotaNano: littleNano } },
  { name: 'key-day', reason: 'key_quota_cut', key: { dailyNano: littleNano } },
  { name: 'member-week', reason: 'member_budget_cut', member: { weeklyNano: littleNano } },
  { name: 'member-total', reason: 'member_budget_cut', member: { totalNano: littleNano } },
  { name: 'account-month', reason: 'account_budget_cut', account: { monthlyNano: littleNano } },
  {
    // A budget of the key comes before the credit, which the key need not know.
    name: 'key-and-credit',
    reason: 'key_quota_cut',
    key: { dailyNano: littleNano },
    creditNano: littleNano,
  },
]

/** A key that can pay for the beginning of a long stream. */
async function addKey({ name: id, creditNano = plentyNano, account, member, key }: Short) {
  const nowMs = Date.now()
  const tools = { vault: testVault, random: systemRandom, nowMs: () => nowMs }
  return write(gateway().engine, nowMs, async (writing) => {
    await addAccount(writing, nowMs, { id, name: id, ...account })
    const credit = { id: `credit-${id}`, accountId: id, source: 's', externalId: id, reason: '' }
    await grantCredit(writing, { ...credit, at: nowMs, amountNano: creditNano })
    const ownerId = `u_${id}`
    await writing.tx
      .insertInto('console_user')
      .values({ id: ownerId, email: `${id}@example.com`, role: 'member', created_at: nowMs })
      .execute()
    await putMember(writing, { userId: ownerId, accountId: id, ...member })
    const settings = { accountId: id, name: id, groups: ['any'], ownerId, ...key }
    return (await createKey(writing, tools, settings)).value
  })
}

describe('a stream whose money ends before its answer', () => {
  test.each(rows)('$name: the usage log names what was used up', async (row) => {
    const value = await addKey(row)
    const { ask, one, money } = gateway()
    const words = Array.from({ length: 4_000 }, () => chunk(' gate'))
    one.script('next', { kind: 'events', events: [roleChunk(), ...words], end: 'stall' })
    const reply = await ask({
      headers: { authorization: `Bearer ${value}` },
      body: { model, stream: true, messages: [{ role: 'user', content: 'Good morning' }] },
    })
    expect(reply.status).toBe(200)
    // The client got an answer, which ends as at an output limit, not with an error.
    expect(reply.text).toContain('"finish_reason":"length"')
    expect(reply.text).not.toContain('"error"')
    expect(await money.usageRow(reply.requestId)).toMatchObject({ reason: row.reason, status: 200 })
    const entry = await money.entry(reply.requestId)
    expect(entry.cost_nano).toBeLessThanOrEqual(littleNano)
    expect(entry.output_tokens).toBeGreaterThan(500)
  })
})
