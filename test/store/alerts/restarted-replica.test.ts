import { describe, expect, test } from 'bun:test'
import { localConditionLastsMs } from '../../../src/alerts/local-conditions.ts'
import { checkAlerts } from '../../../src/app/notices/watch-alerts.ts'
import { listMessages } from '../../../src/outbox/outbox-store.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAlert, startMs, vault } from './alert-cases.ts'

const minuteMs = 60_000
const down = { kind: 'upstream_down', subject: 'one', detail: 'one' } as const
const lastsMinutes = localConditionLastsMs / minuteMs

/**
 * What a replica sees each minute after it has reported a condition: `-` nothing, `D` the condition, and `R` nothing,
 * because it has just been started again. Then the number of messages in all.
 */
const cases: readonly [string, minutes: string, messages: number][] = [
  ['a restart does not end the condition', 'R-D', 1],
  ['nor do several', 'RDRRD', 1],
  ['a replica that still runs ends it at once', '-D', 2],
  ['also one that has seen it since its start', 'RD-D', 2],
  ['after a restart it ends when it is not seen for a while', `R${'-'.repeat(lastsMinutes)}D`, 2],
]

describe.each(sharedFixtures('restarted-replica'))(
  'a condition that a replica has reported, on $kind',
  (fixture) => {
    test.each(cases)('%s: %s', async (_name, minutes, messages) => {
      const engine = await fixture.openMigrated()
      await addAlert(engine, { kinds: ['upstream_down'] })
      let looks = {}
      for (const [minute, what] of `D${minutes}`.split('').entries()) {
        if (what === 'R') looks = {}
        const nowMs = startMs + minute * minuteMs
        const report = await checkAlerts(
          {
            engine: { ...engine, clockSql: `CAST(${nowMs} AS BIGINT)` },
            vault,
            replica: 'one',
            localConditions: async () => (what === 'D' ? [down] : []),
          },
          looks,
        )
        expect(report).toBeDefined()
      }
      const told = await listMessages(engine.db, { accountIds: undefined, rowsMax: 99 })
      expect(told).toHaveLength(messages)
    })
  },
)
