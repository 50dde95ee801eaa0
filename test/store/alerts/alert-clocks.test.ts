import { describe, expect, test } from 'bun:test'
import { localConditionLastsMs } from '../../../src/alerts/local-conditions.ts'
import { deliverMessages } from '../../../src/app/notices/deliver-messages.ts'
import { webhookTools } from '../../../src/app/notices/open-notices.ts'
import { checkAlerts } from '../../../src/app/notices/watch-alerts.ts'
import type { NewMessage } from '../../../src/outbox/message.ts'
import { claimDue, enqueue, listMessages } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAlert, startMs, vault } from './alert-cases.ts'

const letter: Omit<NewMessage, 'target'> = {
  purpose: 'password-reset',
  accountId: null,
  alertId: null,
  channel: 'email',
  content: { mail: { subject: 's', text: 't', html: '' } },
}
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

  test.each([-600_000, 600_000])(
    'a replica whose clock is wrong by %d ms takes no message that another one is sending, and delays none',
    async (wrongByMs) => {
      const engine = await fixture.openMigrated()
      const put = (target: string, nowMs: number) =>
        write(engine, nowMs, (writing) => enqueue(writing, { vault, nowMs }, { ...letter, target }))
      await put('first', Date.now())
      expect(await claimDue(engine, { vault, nowMs: Date.now() })).toHaveLength(1)
      const clock = {
        nowMs: () => Date.now() + wrongByMs,
        monotonicMs: () => performance.now(),
      }
      await put('second', clock.nowMs())
      const sent: string[] = []
      const delivery = deliverMessages({
        engine,
        vault,
        clock,
        log: createLog({ level: 'error', nowMs: clock.nowMs, write: () => undefined }),
        metrics: new Metrics(),
        mail: { send: async (target) => void sent.push(target), check: async () => undefined },
        webhooks: webhookTools({ brand: 'gateway', isPrivateWebhookAllowed: false }),
      })
      await eventually('the second one is sent', () => sent.length > 0)
      await delivery.stop()
      expect(sent).toEqual(['second'])
    },
  )
})
