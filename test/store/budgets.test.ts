import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { changeAccount } from '../../src/accounts/account-store.ts'
import type { Clock } from '../../src/core/clock.ts'
import { noUsage } from '../../src/core/usage.ts'
import { createKey, updateKey } from '../../src/keys/key-store.ts'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { grantCredit } from '../../src/ledger/credits.ts'
import { openFileJournal } from '../../src/ledger/journal/file-journal.ts'
import { openLife } from '../../src/ledger/journal/open-life.ts'
import { settleShapes } from '../../src/ledger/journal/settle-record.ts'
import { closeLeasesOf } from '../../src/ledger/leases/close-leases.ts'
import { LeaseLedger } from '../../src/ledger/leases/lease-ledger.ts'
import type { Hold, HoldRequest, HoldVerdict } from '../../src/ledger/ledger.ts'
import type { Engine } from '../../src/store/engine.ts'
import { GroupCommit } from '../../src/store/group-commit.ts'
import { write } from '../../src/store/write.ts'
import { MemoryDisk } from '../support/ledger/memory-disk.ts'
import { patience } from '../support/patience.ts'
import { engineStages } from './engine-stage.ts'
import { addAccount, plainKey, tools } from './row-stage.ts'

const dayMs = 86_400_000
const midnightMs = 20_700 * dayMs
const clockName = 'clock of a test'
const eachNano = 10n
const timeoutMs = patience(60_000)

/** A database whose clock runs, and can be set. The account has money for everything. */
class BudgetWorld {
  readonly engine: Engine
  #requests = 0
  /** The time of the database minus the time of this machine. */
  #aheadMs = 0

  constructor(engine: Engine) {
    const ahead = `(SELECT CAST(value AS BIGINT) FROM fact WHERE name = '${clockName}')`
    this.engine = { ...engine, clockSql: `(${engine.clockSql} + ${ahead})` }
  }

  async open(atMs: number): Promise<void> {
    await this.engine.defineShapes(settleShapes)
    await addAccount(this.engine)
    await write(this.engine, 1, (w) => createKey(w, tools, plainKey, { id: 'k' }))
    const credit = { id: 'c', accountId: 'acme', source: 's', externalId: 'c', reason: '', at: 1 }
    await write(this.engine, 1, (w) => grantCredit(w, { ...credit, amountNano: 1_000_000n }))
    await this.setClock(atMs)
  }

  async setClock(atMs: number): Promise<void> {
    this.#aheadMs = atMs - Date.now()
    const value = String(this.#aheadMs)
    await this.engine.db
      .insertInto('fact')
      .values({ name: clockName, value })
      .onConflict((fact) => fact.column('name').doUpdateSet({ value }))
      .execute()
  }

  /** A process whose own clock is wrong by so much. */
  async process(replica: string, wrongByMs = 0): Promise<LeaseLedger> {
    const { engine } = this
    const disk = new MemoryDisk()
    const files = disk.filesOf({ isOver: false })
    const { owner, lock } = await openLife(engine, replica, '', files)
    const clock: Clock = {
      nowMs: () => Date.now() + this.#aheadMs + wrongByMs,
      monotonicMs: () => performance.now(),
    }
    const onError = (): undefined => undefined
    const journal = openFileJournal(
      '/tmp',
      owner,
      { engine, onError },
      { files, openFile: disk.opener(), onDiskError: onError },
    )
    const commits = new GroupCommit(engine)
    const recall = async (): Promise<void> => {
      for (const each of this.ledgers) each.apply([{ seq: 1, topic: 'recall', subject: 'acme' }])
    }
    const onClosed = (isEmpty: boolean): void => lock.end(isEmpty)
    const deps = { engine, commits, owner, clock, journal, recall, onError, onClosed }
    const ledger = new LeaseLedger(deps)
    this.ledgers.push(ledger)
    return ledger
  }

  readonly ledgers: LeaseLedger[] = []

  wish(extra: Partial<HoldRequest> = {}): HoldRequest {
    this.#requests += 1
    return {
      requestId: `request-${String(this.#requests).padStart(6, '0')}`,
      accountId: 'acme',
      keyId: 'k',
      amountNano: eachNano,
      recoveryNano: 0n,
      recovery: {
        at: 1,
        model: 'm',
        protocol: 'chat-completions',
        groupId: 'g',
        priceVersionId: 'p',
        factorMicro: 1_000_000,
        inputTokens: 1,
        isStream: false,
        clientAddress: '127.0.0.1',
      },
      ...extra,
    }
  }

  async limitKey(limits: Partial<typeof plainKey>): Promise<void> {
    await write(this.engine, 1, (w) => updateKey(w, 'k', { ...plainKey, ...limits }))
    for (const each of this.ledgers) each.apply([{ seq: 1, topic: 'key', subject: 'k' }])
  }

  counters() {
    return this.engine.db.selectFrom('budget_counter').selectAll().orderBy('id').execute()
  }

  async close(): Promise<void> {
    for (const ledger of this.ledgers) await ledger.close()
    expect(await findImbalances(this.engine)).toEqual([])
    const open = await this.engine.db.selectFrom('lease').select('id').execute()
    expect(open).toEqual([])
  }
}

function settle(hold: Hold, costNano = eachNano): void {
  hold.settle(
    {
      costNano,
      usage: noUsage,
      usageSource: 'upstream',
      priceVersionId: 'p',
      factorMicro: 1_000_000n,
      flags: [],
    },
    [],
  )
}

function holdOf(verdict: HoldVerdict): Hold {
  if (!verdict.ok) throw new Error(`refused: ${verdict.refusal.reason}`)
  return verdict.hold
}

describe.each(engineStages('budgets'))('budgets on $kind', (stage) => {
  async function openWorld(atMs: number): Promise<BudgetWorld> {
    const world = new BudgetWorld(await stage.openMigrated())
    await world.open(atMs)
    return world
  }

  const noonMs = midnightMs + dayMs / 2
  const owners = [
    ['key', 'day', 'key_quota_exhausted'],
    ['account', 'month', 'account_budget_exhausted'],
    ['account', 'total', 'account_budget_exhausted'],
    ['member', 'week', 'member_budget_exhausted'],
  ] as const

  test.each(owners)(
    'a budget of the %s for each %s admits exactly as many as it pays for, then refuses with its reset',
    async (owner, period, reason) => {
      const world = await openWorld(noonMs)
      const nano = 3n * eachNano
      const { db } = world.engine
      const versioned = { budget_version: 1 }
      if (owner === 'key') await world.limitKey({ dailyNano: nano })
      if (owner === 'account')
        await write(world.engine, 1, (w) =>
          changeAccount(
            w,
            'acme',
            period === 'total' ? { totalNano: nano } : { monthlyNano: nano },
          ),
        )
      if (owner === 'member') {
        await sql`INSERT INTO console_user (id, email, role, created_at) VALUES ('u', 'u', 'member', 1)`.execute(
          db,
        )
        await db
          .insertInto('membership')
          .values({ user_id: 'u', account_id: 'acme', weekly_nano: nano, ...versioned })
          .execute()
      }
      const ledger = await world.process('r')
      const wish = () => world.wish(owner === 'member' ? { userId: 'u' } : {})
      for (let count = 0; count < 3; count += 1) settle(holdOf(await ledger.reserve(wish())))
      const verdict = await ledger.reserve(wish())
      expect(verdict).toMatchObject({ ok: false, refusal: { reason, affordableNano: 0n } })
      const [counter] = await world.counters()
      const refusal = verdict.ok ? undefined : verdict.refusal
      expect(refusal?.budget).toEqual({
        period,
        limitNano: nano,
        resetsAtMs: counter?.ends_at ?? null,
      })
      expect(counter).toMatchObject({
        owner_kind: owner,
        period,
        spent_nano: nano,
        available_nano: 0n,
      })
      expect((await ledger.foresee(wish())).refusalOf(eachNano)).toMatchObject({ reason })
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a request counts in the period of its admission, also when it needs more and ends in the next',
    async () => {
      const world = await openWorld(midnightMs - 60_000)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      const early = holdOf(await ledger.reserve(world.wish()))
      await world.setClock(midnightMs + 60_000)
      // The new day has its whole budget, whatever the old one holds.
      for (let count = 0; count < 3; count += 1) settle(holdOf(await ledger.reserve(world.wish())))
      expect((await ledger.reserve(world.wish())).ok).toBe(false)
      expect(await early.extend(20n)).toBe(true)
      expect(await early.extend(1n)).toBe(false)
      settle(early, 30n)
      await world.close()
      const spent = (await world.counters()).map((each) => [each.starts_at, each.spent_nano])
      expect(spent).toEqual([
        [midnightMs - dayMs, 30n],
        [midnightMs, 30n],
      ])
    },
    timeoutMs,
  )

  test(
    'the clock of the database decides about the period, not that of the process',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 20n })
      const right = await world.process('right')
      const wrong = await world.process('wrong', 20 * 3_600_000)
      settle(holdOf(await right.reserve(world.wish())))
      settle(holdOf(await wrong.reserve(world.wish())))
      expect((await wrong.reserve(world.wish())).ok).toBe(false)
      expect((await right.reserve(world.wish())).ok).toBe(false)
      await world.close()
      const counters = await world.counters()
      expect(counters.map((each) => each.spent_nano).filter((nano) => nano > 0n)).toEqual([20n])
    },
    timeoutMs,
  )

  test(
    'a limit that is changed counts what is spent; below that it grants nothing',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ledger.reserve(world.wish())))
      await ledger.shipped()
      await world.limitKey({ dailyNano: 5n })
      expect((await ledger.reserve(world.wish({ amountNano: 1n }))).ok).toBe(false)
      expect((await world.counters())[0]).toMatchObject({ limit_nano: 5n, available_nano: -15n })
      await world.limitKey({ dailyNano: 40n })
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ledger.reserve(world.wish())))
      expect((await ledger.reserve(world.wish())).ok).toBe(false)
      await world.limitKey({ dailyNano: null })
      settle(holdOf(await ledger.reserve(world.wish())))
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ spent_nano: 40n, available_nano: 0n })
    },
    timeoutMs,
  )

  test(
    'a settlement after its lease was closed is charged to the counters of the lease, once',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      const hold = holdOf(await ledger.reserve(world.wish()))
      await closeLeasesOf(world.engine, { replica: 'r', epoch: 1 })
      expect((await world.counters())[0]).toMatchObject({ available_nano: 30n, spent_nano: 0n })
      settle(hold)
      await ledger.shipped()
      expect((await world.counters())[0]).toMatchObject({ available_nano: 20n, spent_nano: 10n })
      expect(await findImbalances(world.engine)).toEqual([])
    },
    timeoutMs,
  )

  test(
    'an alert amount that is reached is recorded once, in the transaction of the settlement',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 50n, budgetAlertPercent: 80 })
      const ledger = await world.process('r')
      const crossings = () => world.engine.db.selectFrom('budget_crossing').selectAll().execute()
      for (let count = 0; count < 3; count += 1) settle(holdOf(await ledger.reserve(world.wish())))
      await ledger.shipped()
      expect(await crossings()).toEqual([])
      for (let count = 0; count < 2; count += 1) {
        settle(holdOf(await ledger.reserve(world.wish())))
        await ledger.shipped()
        expect(await crossings()).toMatchObject([
          { alert_nano: 40n, spent_nano: 40n, told_at: null },
        ])
      }
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a replica of an earlier version gets no lease where a budget applies',
    async () => {
      const world = await openWorld(noonMs)
      const old = (id: string) =>
        sql`INSERT INTO lease (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at,
        reclaim_at) VALUES (${id}, 'old', 1, 'acme', 'k', 0, 0, 1, 1, 1)`.execute(world.engine.db)
      await old('before')
      await world.limitKey({ dailyNano: 50n })
      await old('key')
      await world.limitKey({ dailyNano: null })
      await write(world.engine, 1, (w) => changeAccount(w, 'acme', { totalNano: 50n }))
      await old('account')
      const ids = await world.engine.db.selectFrom('lease').select('id').execute()
      expect(ids).toEqual([{ id: 'before' }])
    },
    timeoutMs,
  )

  test(
    '500 requests of three processes while the day ends: never one more than 20 a day',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 20n * eachNano })
      const ledgers = [await world.process('a'), await world.process('b'), await world.process('c')]
      const ask = async (index: number): Promise<boolean> => {
        const ledger = ledgers[index % 3]
        const verdict = await ledger?.reserve(world.wish())
        if (!verdict?.ok) return false
        await verdict.hold.admitted
        settle(verdict.hold)
        return true
      }
      await world.setClock(midnightMs + dayMs - 150)
      const asked = await Promise.all(Array.from({ length: 500 }, (_, index) => ask(index)))
      await world.setClock(midnightMs + dayMs + 60_000)
      const later = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)))
      await world.close()
      const counters = await world.counters()
      const spent = new Map(counters.map((each) => [each.starts_at, each.spent_nano]))
      const admitted = [...asked, ...later].filter(Boolean).length
      const all = counters.reduce((sum, each) => sum + each.spent_nano, 0n)
      expect(all).toBe(BigInt(admitted) * eachNano)
      expect(spent.get(midnightMs) ?? 0n).toBeLessThanOrEqual(20n * eachNano)
      expect(spent.get(midnightMs + dayMs)).toBe(20n * eachNano)
      expect(counters.every((each) => each.available_nano >= 0n)).toBe(true)
    },
    timeoutMs,
  )
})
