import { describe, expect, test } from 'bun:test'
import { changeAlert, deleteAlert } from '../../../src/alerts/alert-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { type DeliveryDeps, deliverDue } from '../../../src/outbox/deliver.ts'
import { DeliveryFailure, type NewMessage, outboxLimits } from '../../../src/outbox/message.ts'
import { claimDue, enqueue, listMessages } from '../../../src/outbox/outbox-store.ts'
import { findMessage, isResendable, sendAgain } from '../../../src/outbox/send-again.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAlert, startMs, vault } from './alert-cases.ts'

const tools = { vault, random: systemRandom, nowMs: startMs }
const url = 'https://hooks.example.com/x'

const letter: NewMessage = {
  purpose: 'credit_low',
  accountId: null,
  alertId: null,
  channel: 'webhook',
  target: 'hooks.example.com',
  content: { body: '1' },
}

describe.each(sharedFixtures('send-again'))('sending again on $kind', (fixture) => {
  async function open(engine: Engine) {
    const alertId = await addAlert(engine, {
      channel: 'webhook',
      emails: [],
      url,
      secret: 'x'.repeat(20),
    })
    const put = (body: string, extra: Partial<NewMessage> = {}) =>
      write(engine, startMs, (writing) =>
        enqueue(writing, tools, { ...letter, alertId, content: { body }, ...extra }),
      )
    /** Sends all that is due, one after another, and returns body and delivery id. */
    const deliver = async (
      send: (body: string) => Promise<void> = async () => undefined,
    ): Promise<string[]> => {
      const sent: string[] = []
      const deps: DeliveryDeps = {
        engine,
        vault,
        nowMs: () => startMs,
        send: async ({ content, deliveryId }) => {
          const body = 'body' in content ? content.body : ''
          await send(body)
          sent.push(`${body} ${deliveryId}`)
        },
        onOutcome: () => undefined,
      }
      for (;;) {
        const begun = await deliverDue(deps)
        if (begun.length === 0) return sent
        await Promise.all(begun.map(({ ended }) => ended))
      }
    }
    const rows = async () =>
      (await listMessages(engine.db, { accountIds: undefined, rowsMax: 99 })).toReversed()
    const again = (seq: number, by: Engine = engine) =>
      write(by, startMs, async (writing) => {
        const row = await findMessage(writing.tx, String(seq))
        if (!row) throw new Error('the message must exist')
        return sendAgain(writing, row, startMs)
      })
    return { alertId, put, deliver, rows, again }
  }
  const gone = async () => {
    throw new DeliveryFailure('gone', { isPermanent: true })
  }

  test('a message that was given up is sent once more, with the same content and delivery id', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    expect(await deliver(gone)).toEqual([])
    const [first] = await rows()
    expect(first && isResendable(first)).toBe(true)
    const seq = first?.seq ?? 0
    const queued = await again(seq)
    expect(queued).toEqual({ seq: expect.any(Number) })
    // The first row has nothing left to send.
    expect(await again(seq)).toBe('not_stored')
    expect(await deliver()).toEqual([`1 ${seq}`])
    expect(await deliver()).toEqual([])
    expect(await rows()).toMatchObject([
      { seq, state: 'failed', payload_sealed: null, first_seq: null, last_error: 'gone' },
      { state: 'sent', payload_sealed: null, first_seq: seq, attempts: 1, last_error: null },
    ])
  })

  test('a repetition that fails can be repeated, with the delivery id of the first message', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    await deliver(gone)
    const seq = (await rows())[0]?.seq ?? 0
    await again(seq)
    await deliver(gone)
    const second = (await rows())[1]?.seq ?? 0
    await again(second)
    expect(await deliver()).toEqual([`1 ${seq}`])
    expect((await rows()).map((row) => row.first_seq)).toEqual([null, seq, seq])
  })

  test('many calls at once, at two replicas, send it once', async () => {
    const [one, two] = await fixture.openTwo()
    const { put, deliver, rows, again } = await open(one)
    await put('1')
    await deliver(gone)
    const seq = (await rows())[0]?.seq ?? 0
    const results = await Promise.all([one, two, one, two].map((engine) => again(seq, engine)))
    expect(results.filter((each) => each === 'not_stored')).toHaveLength(3)
    expect(await deliver()).toEqual([`1 ${seq}`])
  })

  test('it goes behind the messages that wait for the same webhook, and never beside one of them', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    await deliver(gone)
    await put('2')
    await put('3')
    const seq = (await rows())[0]?.seq ?? 0
    // Another replica is sending the second one.
    expect(await claimDue(engine, { vault, nowMs: startMs })).toMatchObject([
      { content: { body: '2' } },
    ])
    await again(seq)
    expect(await deliver()).toEqual([])
    await engine.db.updateTable('outbox').set({ claimed_until: 0 }).execute()
    expect((await deliver()).map((each) => each.split(' ')[0])).toEqual(['2', '3', '1'])
  })

  test('a message that waits, or was sent, is not sent again', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    const seq = (await rows())[0]?.seq ?? 0
    expect(await again(seq)).toBe('not_failed')
    await claimDue(engine, { vault, nowMs: startMs })
    expect(await again(seq)).toBe('not_failed')
    await engine.db.updateTable('outbox').set({ claimed_until: 0 }).execute()
    expect(await deliver()).toHaveLength(1)
    expect(await again(seq)).toBe('not_failed')
    expect(await rows()).toHaveLength(1)
  })

  test('an alert that is disabled during an attempt: not while the attempt runs', async () => {
    const engine = await fixture.openMigrated()
    const { alertId, put, deliver, rows, again } = await open(engine)
    await put('1')
    const seq = (await rows())[0]?.seq ?? 0
    const during: unknown[] = []
    await deliver(async () => {
      for (const isEnabled of [false, true])
        await write(engine, startMs, (writing) =>
          changeAlert(writing, tools, alertId, { isEnabled }),
        )
      during.push(await again(seq))
    })
    expect(during).toEqual(['in_flight'])
    // The attempt has succeeded.
    expect(await again(seq)).toBe('not_failed')
    expect(await rows()).toMatchObject([{ state: 'sent' }])
  })

  test('messages of an alert that was disabled can be sent again; those of a deleted one cannot', async () => {
    const engine = await fixture.openMigrated()
    const { alertId, put, deliver, rows, again } = await open(engine)
    await put('1')
    await put('2')
    for (const isEnabled of [false, true])
      await write(engine, startMs, (writing) => changeAlert(writing, tools, alertId, { isEnabled }))
    const [first, second] = await rows()
    expect(await again(first?.seq ?? 0)).toEqual({ seq: expect.any(Number) })
    expect(await deliver()).toEqual([`1 ${first?.seq}`])
    await write(engine, startMs, (writing) => deleteAlert(writing, alertId, startMs))
    expect(await again(second?.seq ?? 0)).toBe('not_stored')
    expect((await rows()).filter((row) => row.payload_sealed !== null)).toEqual([])
  })

  test('a message with a link, and one that cannot be decrypted, keep no content', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    const mail = { subject: 's', text: 'https://gw/#a-token', html: '' }
    await put('', { alertId: null, channel: 'email', purpose: 'invitation', content: { mail } })
    await deliver(gone)
    await put('1')
    const other = createVault(new Uint8Array(32).fill(9))
    expect(await claimDue(engine, { vault: other, nowMs: startMs })).toEqual([])
    const all = await rows()
    expect(all).toMatchObject([
      { state: 'failed', payload_sealed: null },
      { state: 'failed', payload_sealed: null },
    ])
    for (const row of all) expect(await again(row.seq)).toBe('not_stored')
  })

  test('a receiver that is gone for good cannot fill the list', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    await deliver(gone)
    for (let each = 0; each < outboxLimits.resendsMax; each += 1) {
      expect(await again((await rows()).at(-1)?.seq ?? 0)).toEqual({ seq: expect.any(Number) })
      await deliver(gone)
    }
    expect(await again((await rows()).at(-1)?.seq ?? 0)).toBe('often')
    expect(await rows()).toHaveLength(outboxLimits.resendsMax + 1)
  })

  test('there is room for it, or it stays as it is', async () => {
    const engine = await fixture.openMigrated()
    const { put, deliver, rows, again } = await open(engine)
    await put('1')
    await deliver(gone)
    for (let each = 0; each < outboxLimits.laneMax; each += 1) await put('x')
    const seq = (
      await listMessages(engine.db, { accountIds: undefined, state: 'failed', rowsMax: 9 })
    )[0]
    expect(await again(seq?.seq ?? 0)).toBe('full')
    expect(await rows()).toHaveLength(99)
    await deliver()
    expect(await again(seq?.seq ?? 0)).toEqual({ seq: expect.any(Number) })
  })
})
