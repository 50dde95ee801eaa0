import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { lastAuditAtMs } from '../../../src/ledger/audit/audit-state.ts'
import { listStops, releaseStop } from '../../../src/ledger/audit/audit-stops.ts'
import {
  type AuditReport,
  auditLimits,
  LedgerAuditor,
} from '../../../src/ledger/audit/audit-turn.ts'
import type { LedgerFinding } from '../../../src/ledger/audit/finding-line.ts'
import { closeUnit } from '../../../src/ledger/leases/lease-units.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { endTest, holdRequest, openReplica } from '../ledger/ledger-helpers.ts'
import { damages, hourMs, minuteMs, nowMs, openShop, spend } from './audit-helpers.ts'

afterEach(endTest)

/** A process that runs the audit, with one turn per minute. */
function openAuditor(engine: Engine, limits: Partial<typeof auditLimits> = {}) {
  const time = { nowMs, monotonicMs: 0, stepMs: 0 }
  const monotonicMs = (): number => {
    time.monotonicMs += time.stepMs
    return time.monotonicMs
  }
  const clock = { nowMs: () => time.nowMs, monotonicMs }
  const auditor = new LedgerAuditor(engine, clock, { ...auditLimits, ...limits })
  const turn = async (): Promise<AuditReport> => {
    const report = await auditor.turn()
    time.nowMs += minuteMs
    if (!report) throw new Error('another process had the turn')
    return report
  }
  return { auditor, turn, time }
}

async function damage({ db }: Engine, text: string): Promise<void> {
  await sql.raw(text).execute(db)
}

const stoppedIds = async (engine: Engine): Promise<string[]> =>
  (await listStops(engine)).filter(({ isReleased }) => !isReleased).map((each) => each.accountId)

describe.each(sharedFixtures('self-audit'))('self-audit on $kind', (fixture) => {
  test('a correct ledger has no finding, with open and closed leases', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { turn } = openAuditor(engine)
    const lease = { leaseId: 'open', accountId: 'a', keyId: 'k' }
    for (const step of [
      async () => undefined,
      () => spend(engine, nowMs),
      () => engine.runUnits([closeUnit(lease)]),
      () => spend(engine, nowMs, { leaseId: 'closed long ago' }),
      async () => undefined,
    ]) {
      await step()
      const report = await turn()
      expect(report).toEqual({ found: new Map(), cleared: [], undecided: 0, isCounted: true })
    }
    expect(await listStops(engine)).toEqual([])
  })

  const seen = damages.filter(({ isSeenEachMinute }) => isSeenEachMinute)
  test.each(seen)('$name: it is found, and the account gets no lease', async (each) => {
    const engine = await fixture.openMigrated()
    const shop = await openShop(engine)
    const { turn } = openAuditor(engine)
    expect((await turn()).found.size).toBe(0)
    await damage(engine, each.sql(shop))
    const report = await turn()
    expect([...report.found.keys()]).toEqual(['a'])
    expect(await stoppedIds(engine)).toEqual(['a'])
    const { ledger } = await openReplica(engine, 's')
    const refused = await failureOf(Promise.resolve(ledger.reserve(holdRequest(10n))))
    expect(refused).toContain('tollgate audit --release a')
    await ledger.close()
  })

  test('the findings name the error and its amount', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { turn } = openAuditor(engine)
    await damage(engine, 'UPDATE account SET available_nano = available_nano - 25')
    await damage(engine, 'UPDATE lease SET used_nano = used_nano + 3')
    const { found } = await turn()
    const findings: LedgerFinding[] = [
      { kind: 'credit', id: 'a', differenceNano: 25n },
      { kind: 'entries', id: 'k', differenceNano: 3n },
    ]
    expect(found.get('a')).toEqual(findings)
    expect((await listStops(engine))[0]?.findings).toEqual(findings)
    // As text, for replicas of the previous version.
    expect(await engine.db.selectFrom('audit_stop').select('findings').execute()).toEqual([
      {
        findings: [
          'account a: credits differ by 0.000000025 US$ from the sum of available, leased and spent',
          'key k: the amount spent differs by 0.000000003 US$ from the sum of its entries',
        ].join('\n'),
      },
    ])
    await damage(engine, 'UPDATE lease SET used_nano = used_nano + 4')
    await turn()
    expect((await listStops(engine))[0]?.findings).toEqual([
      { kind: 'credit', id: 'a', differenceNano: 25n },
      { kind: 'entries', id: 'k', differenceNano: 7n },
    ])
    await damage(engine, 'UPDATE account SET available_nano = available_nano + 25')
    await damage(engine, 'UPDATE lease SET used_nano = used_nano - 7')
    await turn()
    expect(await engine.db.selectFrom('audit_finding').selectAll().execute()).toEqual([])
  })

  const inWords = (amount: string) =>
    `account a: credits differ by ${amount} US$ from the sum of available, leased and spent`
  const earlier = [
    ['the same', inWords('0.000000025'), true],
    ['something else', inWords('0.000000024'), false],
  ] as const
  test.each(earlier)(
    'a stop by the previous version that found %s',
    async (_, line, staysReleased) => {
      const engine = await fixture.openMigrated()
      await openShop(engine)
      const { turn } = openAuditor(engine)
      await damage(engine, 'UPDATE account SET available_nano = available_nano - 25')
      const stop = { account_id: 'a', found_at: 5, findings: line, released_at: 6 }
      await engine.db.insertInto('audit_stop').values(stop).execute()
      expect(await listStops(engine)).toEqual([
        { accountId: 'a', foundAtMs: 5, findings: [{ kind: null, line }], isReleased: true },
      ])
      await turn()
      expect(await listStops(engine)).toEqual([
        {
          accountId: 'a',
          foundAtMs: 5,
          findings: [{ kind: 'credit', id: 'a', differenceNano: 25n }],
          isReleased: staysReleased,
        },
      ])
      // The previous version releases an account without knowing the findings.
      await engine.db.deleteFrom('audit_stop').execute()
      expect(await engine.db.selectFrom('audit_finding').selectAll().execute()).toEqual([])
    },
  )

  test('an entry long after its request is not a finding', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { turn } = openAuditor(engine)
    await turn()
    await spend(engine, nowMs - 30 * minuteMs)
    await spend(engine, nowMs - 40 * hourMs, { leaseId: 'closed long ago' })
    expect((await turn()).found.size).toBe(0)
    await spend(engine, nowMs - 20 * minuteMs)
    expect((await turn()).found.size).toBe(0)
    expect(await listStops(engine)).toEqual([])
  })

  test('after a slow recount a late entry waits, and is not a finding in the meantime', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    // A recount takes a second on this clock, and the next one is due ten seconds later.
    const { turn, time } = openAuditor(engine, { recountRest: 10 })
    time.stepMs = 1_000
    await turn()
    await spend(engine, nowMs - 30 * minuteMs)
    expect(await turn()).toMatchObject({ found: new Map(), undecided: 0 })
    await spend(engine, nowMs - 30 * minuteMs)
    expect(await turn()).toMatchObject({ found: new Map(), undecided: 1 })
    expect(await listStops(engine)).toEqual([])
    time.monotonicMs += 10_000
    expect(await turn()).toMatchObject({ found: new Map(), undecided: 0 })
  })

  test('a stop ends when the ledger balances again', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { turn } = openAuditor(engine)
    await damage(engine, 'UPDATE account SET available_nano = available_nano - 25')
    expect((await turn()).found.size).toBe(1)
    expect((await turn()).cleared).toEqual([])
    await damage(engine, 'UPDATE account SET available_nano = available_nano + 25')
    expect((await turn()).cleared).toEqual(['a'])
    expect(await listStops(engine)).toEqual([])
  })

  test('a released account stays released until something else is found', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    const { turn } = openAuditor(engine)
    await damage(engine, 'UPDATE account SET available_nano = available_nano - 25')
    await turn()
    const release = () => write(engine, nowMs, (writing) => releaseStop(writing, 'a', nowMs))
    expect(await release()).toBe(true)
    expect(await release()).toBe(false)
    await turn()
    expect(await stoppedIds(engine)).toEqual([])
    const replica = await openReplica(engine, 's')
    expect((await replica.ledger.reserve(holdRequest(10n))).ok).toBe(true)
    await turn()
    expect(await stoppedIds(engine)).toEqual([])
    await damage(engine, 'UPDATE account SET available_nano = available_nano - 25')
    await turn()
    expect(await stoppedIds(engine)).toEqual(['a'])
    replica.die()
  })

  test('processes take turns: of two concurrent audits one does the work', async () => {
    const [engine, other] = await fixture.openTwo()
    await openShop(engine)
    const both = [openAuditor(engine), openAuditor(other)]
    const reports = await Promise.all(both.map(({ auditor }) => auditor.turn()))
    expect(reports.filter((report) => report !== undefined)).toHaveLength(1)
    expect(await lastAuditAtMs(engine)).toBe(nowMs)
  })

  test('a large ledger is audited with a limited number of entries per run', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    for (let index = 0; index < 9; index += 1) await spend(engine, nowMs - hourMs + index)
    const { turn } = openAuditor(engine, { pageRows: 2, pagesMax: 2, recountPageRows: 3 })
    const counted: boolean[] = []
    for (let index = 0; index < 4; index += 1) counted.push((await turn()).isCounted)
    expect(counted).toEqual([false, false, true, true])
    const points = await engine.db.selectFrom('audit_point').select('entries').execute()
    expect(points).toEqual([{ entries: 10 }])
    // Errors are found also if they are on separate pages.
    await damage(engine, 'UPDATE lease SET used_nano = used_nano + 3')
    expect((await turn()).found.size).toBe(1)
  })

  test('inactive accounts and keys are audited too', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    for (const id of ['b', 'c', 'd', 'e']) {
      await damage(
        engine,
        `INSERT INTO account (id, name, status, ends_at, available_nano, created_at)
          VALUES ('${id}', '', 'active', NULL, 7, 1)`,
      )
    }
    const { turn } = openAuditor(engine, { quietRows: 2 })
    const found: string[][] = []
    for (let index = 0; index < 3; index += 1) found.push([...(await turn()).found.keys()].sort())
    expect(found).toEqual([['b'], ['b', 'c', 'd'], ['b', 'c', 'd', 'e']])
  })
})
