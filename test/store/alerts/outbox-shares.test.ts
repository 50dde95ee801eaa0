import { describe, expect, test } from 'bun:test'
import type { DeliveryDeps } from '../../../src/outbox/deliver.ts'
import { DeliveryLine } from '../../../src/outbox/delivery-line.ts'
import { type NewMessage, outboxLimits } from '../../../src/outbox/message.ts'
import { enqueue } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { startMs, vault } from './alert-cases.ts'

const letter: NewMessage = {
  purpose: 'password-reset',
  accountId: null,
  alertId: null,
  channel: 'email',
  target: 'ann@example.com',
  content: { mail: { subject: 's', text: 't', html: '' } },
}
const hook = { ...letter, channel: 'webhook', content: { body: '{}' } } as const

const put = (engine: Engine, message: NewMessage = letter) =>
  write(engine, startMs, (writing) => enqueue(writing, { vault, nowMs: startMs }, message))

describe.each(sharedFixtures('outbox-shares'))('the shares of the outbox on $kind', (fixture) => {
  test('receivers of one account that do not answer delay neither email nor the webhooks of others', async () => {
    const engine = await fixture.openMigrated()
    const slow = Array.from({ length: 20 }, (_, index) => `slow-${index}`)
    for (const id of slow) await put(engine, { ...hook, accountId: 'a', alertId: id, target: id })
    await put(engine, { ...hook, accountId: 'b', alertId: 'b', target: 'other' })
    await put(engine, { ...hook, accountId: null, alertId: 'c', target: 'gateway' })
    await put(engine)
    const begun: string[] = []
    const sent: string[] = []
    const gate = Promise.withResolvers<void>()
    const deps: DeliveryDeps = {
      engine,
      vault,
      nowMs: () => startMs,
      send: async ({ target }) => {
        begun.push(target)
        if (target.startsWith('slow')) await gate.promise
      },
      onOutcome: (_channel, _outcome, { target }) => sent.push(target),
    }
    const fail = (error: unknown) => {
      throw error
    }
    const lines = (['email', 'webhook'] as const).map((kind) => new DeliveryLine(kind, deps, fail))
    for (const line of lines) line.go()
    const quick = [letter.target, 'gateway', 'other'].sort()
    await eventually('the others are sent', () => sent.length === quick.length)
    expect(sent.toSorted()).toEqual(quick)
    for (const line of lines) line.go()
    gate.resolve()
    await eventually('all are sent', () => sent.length === quick.length + slow.length)
    expect(new Set(begun).size).toBe(begun.length)
    for (const line of lines) await line.stop()
  })

  test('the alerts of one account, or of many, leave room for the messages of others', async () => {
    const engine = await fixture.openMigrated()
    const fill = async (count: number, account: (index: number) => string) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        lane: `alert ${account(index)} ${index}`,
        purpose: 'credit_low',
        account_id: account(index),
        alert_id: `${account(index)} ${index}`,
        channel: 'webhook',
        target: 'h',
        payload_sealed: null,
        state: 'waiting',
        attempts: 0,
        next_at: startMs,
        claimed_until: 0,
        created_at: startMs,
      }))
      for (let from = 0; from < count; from += 500)
        await engine.db
          .insertInto('outbox')
          .values(rows.slice(from, from + 500))
          .execute()
    }
    await fill(outboxLimits.accountMax, () => 'a')
    expect(await put(engine, { ...hook, accountId: 'a', alertId: 'one more' })).toBe(false)
    expect(await put(engine, { ...letter, accountId: 'a', alertId: 'one more' })).toBe(false)
    expect(await put(engine, { ...hook, accountId: 'b', alertId: 'b' })).toBe(true)
    expect(await put(engine, { ...hook, accountId: null, alertId: 'c' })).toBe(true)
    expect(await put(engine, { ...letter, accountId: 'a' })).toBe(true)
    await fill(outboxLimits.alertsMax - outboxLimits.accountMax, (index) => `many-${index}`)
    expect(await put(engine, { ...hook, accountId: 'd', alertId: 'd' })).toBe(false)
    expect(await put(engine)).toBe(true)
  })
})
