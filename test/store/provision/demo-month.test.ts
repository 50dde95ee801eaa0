import { describe, expect, test } from 'bun:test'
import { fillDemoMonth } from '../../../src/demo/month/fill-demo-month.ts'
import { generateMonth } from '../../../src/demo/month/generate-month.ts'
import { auditLedger } from '../../../src/ledger/audit/audit-ledger.ts'
import { readStatement } from '../../../src/ledger/audit/statement.ts'
import { provisionAtStart } from '../../../src/provision/provision-at-start.ts'
import { vendors } from '../../../src/vendors/index.ts'
import {
  configOf,
  type Fixture,
  fixtures,
  type OpenFixture,
} from '../../support/store/provision-fixture.ts'

/** Shortly before midnight UTC, so that an hour later is another day with another number of requests. */
const nowMs = Date.UTC(2026, 10, 16, 23, 30)
const laterMs = nowMs + 3_600_000

/** A fixture with a stopped clock. */
async function opened(open: OpenFixture): Promise<Fixture> {
  const { engine, tools } = await open()
  return { engine, tools: { ...tools, nowMs: () => nowMs } }
}

function start({ engine, tools }: Fixture, text: string) {
  return provisionAtStart(engine, tools, configOf(text), vendors)
}

for (const [engineName, open] of fixtures('demo month')) {
  describe(`the demo's month on ${engineName}`, () => {
    test('every charge is accounted for, the hourly sums match the log, and a second start adds nothing', async () => {
      const fixture = await opened(open)
      const { db } = fixture.engine
      const { localKey } = await start(fixture, 'demo: on')
      expect(localKey).toBeDefined()
      const rows = await db.selectFrom('usage_row').select(['cost_nano', 'status']).execute()
      expect(rows.length).toBeGreaterThan(3_000)
      expect(rows.some(({ status }) => status === 502)).toBe(true)
      for (const { rule, wrong, findings } of await auditLedger(fixture.engine, 0)) {
        expect([rule, wrong, findings.slice(0, 3)]).toEqual([rule, 0, []])
      }
      const hours = await db.selectFrom('usage_hour').select(['cost_nano', 'requests']).execute()
      const sum = (amounts: readonly { cost_nano: bigint }[]) =>
        amounts.reduce((total, each) => total + each.cost_nano, 0n)
      expect(sum(hours)).toBe(sum(rows))
      expect(hours.reduce((total, each) => total + each.requests, 0)).toBe(rows.length)
      const whole = { fromMs: undefined, toMs: undefined }
      const statement = await readStatement(fixture.engine, 'demo', whole, fixture.tools.nowMs())
      expect(statement?.differenceNano).toBe(0n)
      expect(statement?.availableNano).toBeGreaterThan(0n)
      expect(statement?.spending.length).toBeGreaterThan(60)

      await start(fixture, 'demo: on')
      const again = await db.selectFrom('usage_row').select('request_id').execute()
      expect(again.length).toBe(rows.length)
    })

    test('two processes that start at the same time create one month, not two', async () => {
      const fixture = await opened(open)
      await start(fixture, '')
      const { engine, tools } = fixture
      const later = { ...tools, nowMs: () => laterMs }
      await Promise.all([fillDemoMonth(engine, tools), fillDemoMonth(engine, later)])
      const rows = await engine.db.selectFrom('usage_row').select('request_id').execute()
      const months = [nowMs, laterMs].map((at) =>
        generateMonth(at)
          .map(({ requestId }) => requestId)
          .sort(),
      )
      expect(months).toContainEqual(rows.map(({ request_id: id }) => id).sort())
      for (const { wrong } of await auditLedger(engine, 0)) expect(wrong).toBe(0)
    })

    test('the next start finishes an interrupted one', async () => {
      const count = async ({ engine }: Fixture) =>
        (await engine.db.selectFrom('usage_row').select('request_id').execute()).length
      const broken = await opened(open)
      const failing: Fixture['engine'] = {
        ...broken.engine,
        db: broken.engine.db,
        applyRecords: async () => {
          throw new Error('the power is gone')
        },
      }
      await start({ ...broken, engine: failing }, 'demo: on').catch(() => undefined)
      expect(await count(broken)).toBe(0)
      await start(broken, 'demo: on')
      expect(await count(broken)).toBe(generateMonth(nowMs).length)
      for (const { wrong } of await auditLedger(broken.engine, 0)) expect(wrong).toBe(0)
    })

    test('without an explicit demo there is no sample month', async () => {
      const fixture = await opened(open)
      await start(fixture, '')
      expect(await fixture.engine.db.selectFrom('usage_row').selectAll().execute()).toEqual([])
    })
  })
}
