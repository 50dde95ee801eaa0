import { describe, expect, test } from 'bun:test'
import { readAlert } from '../../../src/alerts/alert-store.ts'
import { alertText } from '../../../src/alerts/alert-texts.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { readConditions } from '../../../src/alerts/read-conditions.ts'
import { describeAlerts } from '../../../src/console-api/handlers/alerts/describe-alerts.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, addKey, alertCases, dayMs, startMs, vault } from './alert-cases.ts'

const evaluateNow = (engine: Engine, nowMs = startMs) =>
  evaluateAlerts({ engine, vault, random: systemRandom, nowMs })

async function conditionsOf(engine: Engine, id: string, nowMs = startMs) {
  const alert = await readAlert(engine.db, id)
  return alert ? readConditions(engine.db, alert, nowMs) : []
}

/** The number of conditions that lists show. */
async function countOf(engine: Engine, id: string) {
  const alert = await readAlert(engine.db, id)
  const [described] = alert ? await describeAlerts(engine.db, [alert]) : []
  return described?.crossings
}

describe.each(sharedFixtures('alert conditions'))('active conditions on $kind', (fixture) => {
  test.each(alertCases)(
    '$kind: listed from the report to the end',
    async ({ kind, subject: name, id: subject = name, words, quiet, cross, end }) => {
      const engine = await fixture.openMigrated()
      await addAccount(engine, 'a')
      const id = await addAlert(engine, { kinds: [kind] })
      const other = await addAlert(engine, { kinds: [kind], isEnabled: false })
      await quiet(engine)
      await cross(engine)
      // Not reported yet.
      expect(await conditionsOf(engine, id)).toEqual([])
      await evaluateNow(engine)
      const found = await conditionsOf(engine, id)
      expect(found).toMatchObject([{ kind, name, crossing: { subject }, sinceMs: startMs }])
      expect(found.map(({ crossing }) => alertText(kind, crossing, 'en').text)).toEqual([
        expect.stringContaining(words),
      ])
      expect([await countOf(engine, id), await countOf(engine, other)]).toEqual([1, 0])
      expect(await conditionsOf(engine, other)).toEqual([])
      await end(engine)
      expect(await conditionsOf(engine, id)).toEqual([])
      await evaluateNow(engine)
      expect(await countOf(engine, id)).toBe(0)
    },
  )

  test('a key that a former version has reported counts once', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    const id = await addAlert(engine, { kinds: ['key_expiring'] })
    await addKey(engine, 'k', startMs + dayMs)
    await engine.db
      .insertInto('alert_crossing')
      .values({ alert_id: id, kind: 'key_expiring', subject: 'k', since: startMs })
      .execute()
    await evaluateNow(engine)
    expect(await countOf(engine, id)).toBe(1)
  })

  test('a budget of a period that has ended has the limit of that period', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    const id = await addAlert(engine, { kinds: ['budget_low'] })
    const budget = alertCases.find(({ kind }) => kind === 'budget_low')
    // Yesterday $9 of $11 were spent; the limit is $10 since.
    await budget?.quiet(engine)
    const today = startMs - (startMs % dayMs)
    const subject = `account a day ${today - dayMs} ${today}`
    await engine.db
      .insertInto('alert_crossing')
      .values({ alert_id: id, kind: 'budget_low', subject, since: today - 1 })
      .execute()
    const found = await conditionsOf(engine, id)
    expect(found.map(({ crossing }) => alertText('budget_low', crossing, 'en').text)).toEqual([
      expect.stringContaining('had spent $9.00 of the budget of $11.00'),
    ])
  })

  test('newest first, and of its own account only', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addAccount(engine, 'b')
    const whole = await addAlert(engine, { kinds: ['key_expiring', 'credit_low'] })
    const own = await addAlert(engine, { accountId: 'b', kinds: ['key_expiring'] })
    await addKey(engine, 'k2', startMs + dayMs)
    await addKey(engine, 'k1', startMs + dayMs, 1, 'b')
    await evaluateNow(engine)
    await addKey(engine, 'k3', startMs + dayMs)
    await evaluateNow(engine, startMs + 60_000)
    const names = async (id: string) =>
      (await conditionsOf(engine, id)).map(({ crossing }) => crossing.subject)
    expect(await names(whole)).toEqual(['k3', 'k1', 'k2'])
    expect(await names(own)).toEqual(['k1'])
  })
})
