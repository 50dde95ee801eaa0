import { describe, expect, test } from 'bun:test'
import type { AlertSource, Crossing } from '../../../src/alerts/alert-source.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { checkAlerts, watchAlerts } from '../../../src/app/notices/watch-alerts.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { claimDue, listMessages } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, addKey, startMs, vault } from './alert-cases.ts'

const tools = { vault, random: systemRandom, nowMs: startMs }
const crossing = (subject: string): Crossing => ({ subject, accountId: null, values: {} })
const kinds = ['credit_low', 'budget_low', 'key_expiring'] as const

/** Finds one condition for each alert, unless `trouble` does something else. */
const sourceOf = (
  kind: (typeof kinds)[number],
  trouble: (name: string) => Promise<readonly Crossing[]> | undefined,
): AlertSource => ({
  kind,
  find: async (_db, { name }) => (await trouble(name)) ?? [crossing(`${kind} ${name}`)],
})

const { promise: never } = Promise.withResolvers<never>()
const troubles: readonly [string, () => Promise<readonly Crossing[]>, RegExp][] = [
  ['fails', () => Promise.reject(new Error('a bad row')), /a bad row/],
  ['does not end', () => never, /no result within 20000 ms/],
]

/** The time of a check is over when its source hangs, not by the clock: the machine may be busy. */
function deadline() {
  let hang = Promise.withResolvers<void>()
  return {
    hang: <Value>(work: Promise<Value>, isHanging = work === never): Promise<Value> => {
      if (isHanging) hang.resolve()
      return work
    },
    within: async <Value>(work: Promise<Value>, _ms: number, why: string): Promise<Value> => {
      const late = hang.promise.then(() => {
        throw new Error(why)
      })
      try {
        return await Promise.race([work, late])
      } finally {
        hang = Promise.withResolvers<void>()
      }
    },
  }
}

describe.each(sharedFixtures('isolated-checks'))('checks of alerts on $kind', (fixture) => {
  const names = async ({ db }: Engine) => {
    const rows = await db.selectFrom('alert_crossing').select('subject').execute()
    return rows.map(({ subject }) => subject).toSorted()
  }

  describe.each(troubles)('a check that %s', (_name, happen, why) => {
    test('is reported, and stops neither other alerts nor other kinds', async () => {
      const engine = await fixture.openMigrated()
      for (const name of ['a', 'b', 'c']) await addAlert(engine, { name, kinds: [...kinds] })
      let isBroken = true
      const { hang, within } = deadline()
      const broken = () => hang(happen())
      const sources = kinds.map((kind) =>
        sourceOf(kind, (name) =>
          isBroken && kind === 'credit_low' && name === 'b' ? broken() : undefined,
        ),
      )
      const check = () => evaluateAlerts({ engine, ...tools, sources, within })
      const first = await check()
      expect(first.crossed).toHaveLength(8)
      expect(first.failed).toMatchObject([{ kind: 'credit_low' }])
      expect(String(first.failed[0]?.error)).toMatch(why)
      expect(await names(engine)).not.toContain('credit_low b')
      // Nothing is sent twice, and what failed is caught up.
      expect((await check()).crossed).toEqual([])
      isBroken = false
      expect((await check()).crossed).toEqual(['credit_low'])
      expect(await listMessages(engine.db, { accountIds: undefined, rowsMax: 99 })).toHaveLength(9)
    })

    test('does not end a condition that was reported', async () => {
      const engine = await fixture.openMigrated()
      await addAlert(engine, { name: 'a' })
      let isBroken = false
      const { hang, within } = deadline()
      const broken = () => hang(happen())
      const sources = [sourceOf('credit_low', () => (isBroken ? broken() : undefined))]
      const check = () => evaluateAlerts({ engine, ...tools, sources, within })
      expect((await check()).crossed).toEqual(['credit_low'])
      isBroken = true
      expect((await check()).failed).toHaveLength(1)
      isBroken = false
      expect((await check()).crossed).toEqual([])
    })
  })

  test('a check that ends after its time writes nothing', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { name: 'a' })
    const late = Promise.withResolvers<readonly Crossing[]>()
    const { hang, within } = deadline()
    const sources = [sourceOf('credit_low', () => hang(late.promise, true))]
    const report = await evaluateAlerts({ engine, ...tools, sources, within })
    expect(report.failed).toHaveLength(1)
    late.resolve([crossing('late')])
    await evaluateAlerts({ engine, ...tools, sources: [] })
    expect(await names(engine)).toEqual([])
  })

  test('one condition that cannot be written stops no other condition of the alert', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { name: 'a', kinds: ['key_expiring'] })
    let expires = Number.MAX_SAFE_INTEGER
    const find = async () => [
      crossing('one'),
      { ...crossing('bad'), times: { expires } },
      crossing('three'),
    ]
    const check = () =>
      evaluateAlerts({ engine, ...tools, sources: [{ kind: 'key_expiring', find }] })
    const report = await check()
    expect(report.crossed).toHaveLength(2)
    expect(report.failed).toMatchObject([{ kind: 'key_expiring' }])
    expect(await names(engine)).toEqual(['one', 'three'])
    expires = startMs
    const next = await check()
    expect([next.crossed.length, next.failed.length]).toEqual([1, 0])
    expect(await names(engine)).toEqual(['bad', 'one', 'three'])
  })

  test('an owner with an unknown time zone is named, and stops no other owner', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { kinds: ['budget_low'] })
    const limits = { daily_nano: 1n, total_nano: 1n, budget_alert_percent: 80 }
    for (const id of ['a', 'bad', 'c']) {
      await addAccount(engine, id)
      await engine.db.updateTable('account').set(limits).where('id', '=', id).execute()
      await addKey(engine, `key-${id}`, null, 1, id)
    }
    await engine.db.updateTable('api_key').set({ spent_nano: 1n }).execute()
    const check = () => evaluateAlerts({ engine, ...tools })
    const setZone = (budget_zone: string) =>
      engine.db.updateTable('account').set({ budget_zone }).where('id', '=', 'bad').execute()
    await setZone('Mars/Olympus')
    const { crossed, failed } = await check()
    // The total needs no time zone.
    expect([crossed.length, failed.length]).toEqual([3, 1])
    expect(String(failed[0]?.error)).toContain('the budgets of account bad')
    await setZone('UTC')
    expect(await check()).toMatchObject({ crossed: [], failed: [] })
  })

  test('an owner with an unknown time zone does not keep conditions of others from being over', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { kinds: ['budget_low'] })
    const limits = { daily_nano: 1n, total_nano: 1n, budget_alert_percent: 80 }
    const change = (id: string, row: object) =>
      engine.db.updateTable('account').set(row).where('id', '=', id).execute()
    for (const id of ['a', 'bad']) {
      await addAccount(engine, id)
      await addKey(engine, `key-${id}`, null, 1, id)
    }
    await engine.db.updateTable('api_key').set({ spent_nano: 1n }).execute()
    await change('a', { ...limits, daily_nano: null })
    await change('bad', { ...limits, budget_zone: 'Mars/Olympus' })
    const check = async () => (await evaluateAlerts({ engine, ...tools })).crossed.length
    expect(await check()).toBe(2)
    await change('a', { total_nano: 9n })
    expect(await check()).toBe(0)
    await change('a', { total_nano: 1n })
    expect(await check()).toBe(1)
    expect(await check()).toBe(0)
  })

  test.each([
    ['fails', () => Promise.reject(new Error('no health'))],
    ['does not end', () => never],
  ])('a replica whose look at its upstreams %s still checks the alerts', async (_name, look) => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    await addAlert(engine, {})
    const { hang, within } = deadline()
    const localConditions = () => hang(look())
    const report = await checkAlerts({ engine, vault, replica: 'r', localConditions, within })
    expect(report?.crossed).toEqual(['credit_low'])
    expect(report?.failed).toHaveLength(1)
  })

  test('conditions that begin at once are one line of the log, and their link begins with publicUrl', async () => {
    const engine = await fixture.openMigrated()
    for (const id of ['a', 'b', 'c']) await addAccount(engine, id, { nano: 1n })
    await addAlert(engine, {})
    const lines: string[] = []
    const metrics = new Metrics()
    const watch = watchAlerts({
      engine,
      vault,
      log: createLog({ level: 'info', nowMs: () => startMs, write: (line) => lines.push(line) }),
      metrics,
      replica: 'r',
      publicUrl: 'https://gw.example.com',
      firstAfterMs: 0,
      localConditions: async () => [],
    })
    await eventually('the log', () => lines.length > 0)
    await watch.stop()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'alert', kind: 'credit_low', conditions: 3 },
    ])
    expect(metrics.render()).toContain('tollgate_alerts_total{kind="credit_low"} 3')
    const [message] = await claimDue(engine, { vault, nowMs: Number.MAX_SAFE_INTEGER / 2 })
    expect(JSON.stringify(message?.content)).toContain('https://gw.example.com/console/operate')
  })

  test('a failed check is in the log and in the metrics, without secrets', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    await addAlert(engine, {})
    const lines: string[] = []
    const metrics = new Metrics()
    const watch = watchAlerts({
      engine,
      vault: {
        ...vault,
        seal: () => {
          throw new Error('cannot seal')
        },
      },
      log: createLog({ level: 'info', nowMs: () => startMs, write: (line) => lines.push(line) }),
      metrics,
      replica: 'r',
      publicUrl: undefined,
      firstAfterMs: 0,
      localConditions: async () => [],
    })
    await eventually('the log', () => lines.some((line) => line.includes('alert_not_checked')))
    await watch.stop()
    expect(lines.join('')).toContain('cannot seal')
    expect(metrics.render()).toContain('tollgate_alert_checks_failed_total{kind="credit_low"} 1')
  })
})
