import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { auditLedger } from '../../../src/ledger/audit/audit-ledger.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { damages, hourMs, minuteMs, nowMs, openShop, spend } from './audit-helpers.ts'

describe.each(sharedFixtures('audit'))('audit of the whole ledger on $kind', (fixture) => {
  test('a correct ledger: every rule is checked, without a finding', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    await spend(engine, nowMs, { leaseId: 'closed long ago' })
    await spend(engine, nowMs, { source: 'recovered' })
    await spend(engine, nowMs, { source: 'none' })
    const checks = await auditLedger(engine, 0)
    expect(checks.map(({ rule, examined, wrong }) => [rule, examined, wrong])).toEqual([
      ['L1', '1 account, 1 key', 0],
      ['L2', '5 entries, 5 usage rows', 0],
      ['L8', '5 entries', 0],
    ])
  })

  test.each(damages)('$name: $rules', async (damage) => {
    const engine = await fixture.openMigrated()
    const shop = await openShop(engine)
    await sql.raw(damage.sql(shop)).execute(engine.db)
    const checks = await auditLedger(engine, 0)
    const broken = checks.filter(({ wrong }) => wrong > 0)
    expect(broken.map(({ rule }) => rule)).toEqual([...damage.rules])
    for (const { wrong, findings } of broken) expect(findings).toHaveLength(wrong)
  })

  test('an interrupted request is charged its tokens at the highest rate, exact to the nano', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { requestId } = await spend(engine, nowMs, { source: 'recovered' })
    const change = async (nano: number): Promise<readonly string[] | undefined> => {
      await sql`UPDATE entry SET cost_nano = cost_nano + ${nano}
        WHERE request_id = ${requestId}`.execute(engine.db)
      return (await auditLedger(engine, 0)).find(({ rule }) => rule === 'L8')?.findings
    }
    expect(await change(0)).toEqual([])
    expect(await change(-1)).toHaveLength(1)
    expect(await change(2)).toHaveLength(1)
  })

  test('entries outlive their usage rows: an entry older than the log needs no row', async () => {
    const engine = await fixture.openMigrated()
    const { old } = await openShop(engine)
    await sql`DELETE FROM usage_row WHERE request_id = ${old.requestId}`.execute(engine.db)
    const wrongSince = async (ms: number) =>
      (await auditLedger(engine, ms)).map(({ wrong }) => wrong)
    expect(await wrongSince(nowMs - hourMs + minuteMs)).toEqual([0, 0, 0])
    expect(await wrongSince(nowMs - hourMs)).toEqual([0, 1, 0])
  })

  test('the first findings are listed, and all are counted', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    for (let index = 0; index < 120; index += 1) await spend(engine, nowMs)
    await sql`UPDATE entry SET output_tokens = output_tokens + 1`.execute(engine.db)
    const price = (await auditLedger(engine, 0)).find(({ rule }) => rule === 'L8')
    expect([price?.wrong, price?.findings.length]).toEqual([122, 100])
  })
})
