import { describe, expect, test } from 'bun:test'
import { localConditionLastsMs } from '../../../src/alerts/local-conditions.ts'
import { checkAlerts } from '../../../src/app/notices/watch-alerts.ts'
import { listMessages } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAlert, startMs, vault } from './alert-cases.ts'

const minuteMs = 60_000
const down = { kind: 'upstream_down', subject: 'one', detail: 'one' } as const

describe.each(sharedFixtures('alert-clocks'))('the clock of the alerts on $kind', (fixture) => {
  test('is that of the database, so replicas agree whatever their own clocks show', async () => {
    const [one, two] = await fixture.openTwo()
    await addAlert(one, { kinds: ['upstream_down'] })
    const at = (engine: Engine, nowMs: number): Engine => ({
      ...engine,
      clockSql: `CAST(${nowMs} AS BIGINT)`,
    })
    const check = (engine: Engine, nowMs: number, isDown: boolean) =>
      checkAlerts({
        engine: at(engine, nowMs),
        vault,
        replica: engine === one ? 'one' : 'two',
        localConditions: async () => (isDown ? [down] : []),
      })
    const told = async () =>
      (await listMessages(one.db, { accountIds: undefined, rowsMax: 99 })).length
    let nowMs = startMs
    for (let minute = 0; minute < 6; minute += 1, nowMs += minuteMs) {
      // The replicas take turns, and only the first one sees the condition.
      const [first, second] = minute % 2 === 0 ? [one, two] : [two, one]
      expect(await check(first, nowMs, first === one)).toBeDefined()
      expect(await check(second, nowMs, second === one)).toBeUndefined()
      expect(await told()).toBe(1)
    }
    nowMs += localConditionLastsMs
    expect(await check(two, nowMs, false)).toBeDefined()
    expect(await one.db.selectFrom('alert_crossing').selectAll().execute()).toEqual([])
  })
})
