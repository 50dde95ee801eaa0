import { describe, expect, test } from 'bun:test'
import { readAlert } from '../../../src/alerts/alert-store.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { readConditions } from '../../../src/alerts/read-conditions.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { claimDue, markSent } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, addKey, dayMs, startMs, vault } from './alert-cases.ts'

const hourMs = dayMs / 24
/** 03:00 UTC, within the seven days of the alert. */
const firstMs = startMs + 2 * dayMs

interface Step {
  /** The key expires then from now on. */
  readonly expiresAtMs?: number
  readonly name?: string
  readonly enabled?: number
  readonly nowMs?: number
  /** The expiry that the message of this check names; undefined if no message is sent. */
  readonly reported: string | undefined
}

const cases: readonly (readonly [string, ...Step[]])[] = [
  ['stays as it is', { reported: undefined }, { nowMs: startMs + dayMs, reported: undefined }],
  ['is extended by a day', { expiresAtMs: firstMs + dayMs, reported: '2026-09-07 03:00 UTC' }],
  [
    'is extended on two days',
    { expiresAtMs: firstMs + dayMs, reported: '2026-09-07 03:00 UTC' },
    { nowMs: startMs + dayMs, reported: undefined },
    {
      expiresAtMs: firstMs + 2 * dayMs,
      nowMs: startMs + dayMs,
      reported: '2026-09-08 03:00 UTC',
    },
  ],
  ['is shortened by a day', { expiresAtMs: firstMs - dayMs, reported: '2026-09-05 03:00 UTC' }],
  [
    'is moved within the same day, as by a program that extends it every hour',
    { expiresAtMs: firstMs + hourMs, reported: undefined },
    { expiresAtMs: firstMs + 2 * hourMs, reported: undefined },
  ],
  ['is renamed', { name: 'renamed', reported: undefined }],
  [
    'is extended by a month',
    { expiresAtMs: firstMs + 30 * dayMs, reported: undefined },
    { nowMs: startMs + 24 * dayMs, reported: undefined },
    { nowMs: startMs + 25 * dayMs, reported: '2026-10-06 03:00 UTC' },
    { nowMs: startMs + 26 * dayMs, reported: undefined },
  ],
  [
    'is disabled and enabled again',
    { enabled: 0, reported: undefined },
    { enabled: 1, reported: '2026-09-06 03:00 UTC' },
  ],
]

describe.each(sharedFixtures('key-expiry'))('a key that expires soon on $kind', (fixture) => {
  const check = async (engine: Engine, nowMs: number): Promise<readonly string[]> => {
    await evaluateAlerts({ engine, vault, random: systemRandom, nowMs })
    const sent = await claimDue(engine, { vault, nowMs })
    for (const { seq } of sent) await markSent(engine, seq, nowMs)
    return sent.map(({ content }) => ('mail' in content ? content.mail.text : ''))
  }

  test.each(cases)('and that %s', async (_name, ...steps) => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addKey(engine, 'k', firstMs)
    const id = await addAlert(engine, { kinds: ['key_expiring'] })
    expect(await check(engine, startMs)).toEqual([
      expect.stringContaining('expires at 2026-09-06 03:00 UTC'),
    ])
    for (const { expiresAtMs, nowMs = startMs, reported, ...values } of steps) {
      const change = { ...values, ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }) }
      if (Object.keys(change).length > 0)
        await engine.db.updateTable('api_key').set(change).execute()
      expect(await check(engine, nowMs)).toEqual(
        reported === undefined ? [] : [expect.stringContaining(`expires at ${reported}`)],
      )
      const alert = await readAlert(engine.db, id)
      const active = alert ? await readConditions(engine.db, alert, nowMs) : []
      expect(active.length).toBeLessThanOrEqual(1)
      expect(active.every(({ crossing }) => crossing.subject === 'k')).toBe(true)
    }
  })

  test('the rows of a former version, which knows no day, stay for that version', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addKey(engine, 'k', firstMs)
    const id = await addAlert(engine, { kinds: ['key_expiring'] })
    const former = { alert_id: id, kind: 'key_expiring', subject: 'k', since: startMs }
    await engine.db.insertInto('alert_crossing').values(former).execute()
    const rows = () =>
      engine.db.selectFrom('alert_crossing').select(['kind', 'subject']).orderBy('kind').execute()
    const both = [
      { kind: 'key_expiring', subject: 'k' },
      { kind: 'key_expiring_on', subject: 'k 2026-09-06' },
    ]
    expect(await check(engine, startMs)).toHaveLength(1)
    expect(await rows()).toEqual(both)
    // Otherwise each version would report the condition after each check of the other.
    expect(await check(engine, startMs)).toEqual([])
    expect(await rows()).toEqual(both)
  })
})
