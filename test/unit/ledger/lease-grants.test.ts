import { describe, expect, test } from 'bun:test'
import type { BudgetRules, BudgetVersions } from '../../../src/ledger/budgets/budget-terms.ts'
import { LeaseGrants } from '../../../src/ledger/leases/lease-grants.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import type { LeaseReturns } from '../../../src/ledger/leases/lease-returns.ts'
import { leaseTimes } from '../../../src/ledger/leases/lease-times.ts'
import { OwnerLeft } from '../../../src/ledger/ledger.ts'
import { SleepAwareClock } from '../../../src/ledger/sleep-aware-clock.ts'
import type { Engine, Unit, UnitResult } from '../../../src/store/engine.ts'
import type { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { dayMs, mondayMs, rulesOf } from './budget-limits.ts'

const endMs = mondayMs + dayMs

interface Answer {
  readonly grantedNano?: bigint
  readonly databaseMs?: number
  readonly versions?: BudgetVersions
  /** What happens while the query is on its way. */
  readonly meanwhile?: () => void
  readonly error?: Error
}

/** A database that gives these answers, the last one again and again, to a process whose clock stands still. */
function open(answers: readonly Answer[], rules: BudgetRules = rulesOf({ dailyNano: 100n })) {
  const state = { nowMs: 1_000, wallMs: mondayMs + 50, rules }
  const units: Unit[] = []
  const owed: Unit[] = []
  const run = async (unit: Unit): Promise<UnitResult> => {
    const { grantedNano, databaseMs, versions, meanwhile, error } =
      answers[Math.min(units.length, answers.length - 1)] ?? {}
    units.push(unit)
    meanwhile?.()
    if (error) throw error
    const { key, account, member } = versions ?? state.rules.versions
    const row = {
      granted_nano: grantedNano ?? null,
      now_ms: databaseMs ?? mondayMs + 100,
      key_version: key,
      account_version: account,
      member_version: member,
    }
    return [{ changes: 0, rows: [row] }]
  }
  const execute = async () => rowsOf(state.rules)
  const db = { selectFrom: () => ({ selectAll: () => ({ execute }) }) } as unknown as Engine['db']
  const clock = { nowMs: () => state.wallMs, monotonicMs: () => state.nowMs }
  const grants = new LeaseGrants(
    {
      engine: { db, clockSql: 'now' } as Engine,
      commits: { run } as GroupCommit,
      owner: { replica: 'r', epoch: 1 },
      clock,
    },
    new SleepAwareClock(clock),
    { owe: (unit: Unit) => void owed.push(unit) } as LeaseReturns,
  )
  const pool = new LeasePool('k', 'a')
  pool.takeRules(rules, mondayMs + 50)
  return { state, units, owed, grants, pool }
}

function rowsOf({ owners, versions }: BudgetRules) {
  return owners.map(({ owner, limits }) => ({
    kind: owner.kind,
    id: owner.id,
    total_nano: limits.totalNano,
    daily_nano: limits.dailyNano,
    weekly_nano: limits.weeklyNano,
    monthly_nano: limits.monthlyNano,
    zone: limits.zone,
    month_day: limits.monthDay,
    alert_percent: limits.alertPercent,
    version: versions.key,
    former: limits.marks.formerMs,
    kinds_at: limits.marks.kindsAtMs,
  }))
}

const has = (pool: LeasePool, nano: bigint) => () => pool.freeNano() >= nano
const storesCounters = ({ statements }: Unit): boolean =>
  statements.some(({ sql }) => sql.includes('INSERT INTO budget_counter'))
const setsOf = (units: readonly Unit[]) => units.map(({ locks }) => locks?.budgetSets?.[0])
/** The least and the wanted amount of a grant. */
const amountsOf = ({ statements }: Unit) => {
  const values = statements.find(({ sql }) => sql.includes('INSERT INTO lease'))?.values ?? []
  return [values[1], values[3], values.at(-1)]
}

describe('a grant', () => {
  test('is repeated under new terms if the period ends meanwhile', async () => {
    const { grants, pool, units } = open([
      { databaseMs: endMs },
      { databaseMs: endMs, grantedNano: 80n },
    ])
    expect(await grants.fetch(pool, 10n, has(pool, 10n))).toBe(true)
    const [first, second, ...more] = setsOf(units)
    expect(first).not.toBe(second)
    expect([pool.terms.setId, pool.terms.startsAtMs, more]).toEqual([second ?? '', endMs, []])
  })

  test('is repeated if a limit changes, and the period ends after that', async () => {
    const { grants, pool, units, state } = open([
      { versions: { key: 2, account: 0, member: -1 } },
      { databaseMs: endMs },
      { databaseMs: endMs, grantedNano: 80n },
    ])
    state.rules = rulesOf({ dailyNano: 70n }, 2)
    expect(await grants.fetch(pool, 10n, has(pool, 10n))).toBe(true)
    expect(units.map(storesCounters)).toEqual([true, true, true])
    expect(pool.terms.counters.map(({ limitNano }) => limitNano)).toEqual([70n])
  })

  test('is given up when the limits change all the time', async () => {
    let version = 1
    const { grants, pool, units, state } = open([
      {
        meanwhile: () => {
          version += 1
          state.rules = rulesOf({ dailyNano: 70n }, version)
        },
      },
    ])
    const error = await grants.fetch(pool, 10n, () => false).catch((each: unknown) => each)
    expect(String(error)).toContain('limits of the key changed')
    expect(units).toHaveLength(8)
  })

  test('that is refused within the period is refused after one query', async () => {
    const { grants, pool, units } = open([{ databaseMs: endMs - 1 }])
    expect(await grants.fetch(pool, 10n, has(pool, 10n))).toBe(false)
    expect(units).toHaveLength(1)
    expect(pool.leases).toEqual([])
  })

  test('stores the counters until the database has confirmed them, and again after a change', async () => {
    const granted = { grantedNano: 10n }
    const { grants, pool, units, state } = open([granted, granted, {}, granted])
    const fetch = () => grants.fetch(pool, 10n, () => true)
    await fetch()
    await fetch()
    state.rules = rulesOf({ dailyNano: 200n }, 2)
    await fetch()
    expect(units.map(storesCounters)).toEqual([true, false, false, true])
  })

  test('does not take counters for stored whose limit changed during the query', async () => {
    const rules = rulesOf({ dailyNano: 200n }, 2)
    const { grants, pool, units, state } = open([
      { grantedNano: 10n, versions: { key: 1, account: 0, member: -1 }, meanwhile: () => take() },
      { grantedNano: 10n },
    ])
    const take = () => {
      state.rules = rules
      pool.takeRules(rules, mondayMs + 60)
    }
    await grants.fetch(pool, 10n, () => true)
    await grants.fetch(pool, 10n, () => true)
    expect(units.map(storesCounters)).toEqual([true, true])
  })

  test('measures the clock of the database and the age of the lease from before the query', async () => {
    const { grants, pool, state } = open([
      {
        grantedNano: 10n,
        databaseMs: endMs - 500,
        meanwhile: () => {
          state.nowMs += 300
          state.wallMs += 300
        },
      },
    ])
    expect(grants.databaseMs()).toBe(mondayMs + 50)
    await grants.fetch(pool, 10n, () => true)
    expect(pool.terms.admitUntilMs).toBe(1_000 + 500)
    expect(pool.leases.map(({ renewedMs }) => renewedMs)).toEqual([1_000])
    expect(grants.databaseMs()).toBe(endMs - 500 + 300)
    state.wallMs -= 5_000
    expect(grants.databaseMs()).toBe(endMs - 500 + 300)
  })

  test('asks for the part that is missing, or for everything if the rest cannot be held', async () => {
    const { grants, pool, units } = open([{ grantedNano: 4n }, { grantedNano: 6n }])
    await grants.fetch(pool, 4n, () => true)
    await grants.fetch(pool, 10n, () => true)
    await grants.fetch(pool, 10n, () => true)
    expect(units.map(amountsOf)).toEqual([
      [4n, 32n, 4n],
      [6n, 768n, 6n],
      [10n, 20_480n, 10n],
    ])
  })

  test('in advance is for eight holds, and only where there is eight times as much', async () => {
    const { grants, pool, units } = open([{}])
    expect(await grants.fetchAhead(pool, 10n)).toBe(false)
    expect(units.map(amountsOf)).toEqual([[80n, 80n, 640n]])
  })

  test('is tried again if the money is taken before the request has it, five times in all', async () => {
    const taken = open([{ grantedNano: 10n }])
    let looks = 0
    const take = () => {
      looks += 1
      return looks === 3
    }
    expect(await taken.grants.fetch(taken.pool, 10n, take)).toBe(true)
    expect(taken.units).toHaveLength(3)
    const lost = open([{ grantedNano: 10n }])
    expect(await lost.grants.fetch(lost.pool, 10n, () => false)).toBe(false)
    expect(lost.units).toHaveLength(5)
  })

  test('whose answer is lost is closed, because the database may have made it', async () => {
    const { grants, pool, owed } = open([{ error: new Error('the connection is gone') }])
    const failed = await grants.fetch(pool, 10n, () => true).catch((error: unknown) => error)
    expect(String(failed)).toContain('the connection is gone')
    expect(owed.map(({ locks }) => locks?.leaseIds?.length)).toEqual([1])
    expect(pool.leases).toEqual([])
  })

  test('for a user who is no member is an error, not a lack of money', async () => {
    const { versions } = rulesOf({})
    const rules = { owners: [], versions: { ...versions, key: -1, account: -1 } }
    const { grants, units } = open([{ versions: rules.versions }], rules)
    const pool = new LeasePool('k', 'a', 'u')
    const failed = await grants.fetch(pool, 10n, () => false).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(OwnerLeft)
    expect(units.length).toBeLessThanOrEqual(2)
  })
})

describe('a request in flight', () => {
  test('gets money from its own period after its end, and asks once', async () => {
    const { grants, pool, units } = open([{ databaseMs: endMs, grantedNano: 10n }, {}])
    const former = pool.terms
    former.isStored = true
    pool.moveTo(endMs)
    expect(await grants.fetch(pool, 10n, () => true, former)).toBe(true)
    expect(pool.leases.map(({ terms }) => terms)).toEqual([former])
    expect(await grants.fetch(pool, 10n, () => true, former)).toBe(false)
    expect(setsOf(units)).toEqual([former.setId, former.setId])
    expect(units.map(storesCounters)).toEqual([false, false])
    expect(pool.terms.startsAtMs).toBe(endMs)
  })

  test('keeps its period also if no other request has begun the next one', async () => {
    const { grants, pool, units, state } = open([{ grantedNano: 10n, databaseMs: endMs - 10 }])
    await grants.fetch(pool, 10n, () => true)
    const { terms } = pool
    state.nowMs += 10
    expect(pool.hasEnded(state.nowMs - leaseTimes.admitMs)).toBe(true)
    expect(await grants.fetch(pool, 10n, () => true, terms)).toBe(true)
    expect(setsOf(units)).toEqual([terms.setId, terms.setId])
    expect(pool.terms).toBe(terms)
  })

  test('of former terms does not say that the counters of the present ones are stored', async () => {
    const { grants, pool } = open([{ grantedNano: 10n, databaseMs: endMs }])
    const former = pool.terms
    pool.moveTo(endMs)
    await grants.fetch(pool, 10n, () => true, former)
    expect([former.isStored, pool.terms.isStored]).toEqual([false, false])
  })
})

describe('remembered limits', () => {
  test('are those of the key with the same owner', async () => {
    const { grants, pool, state } = open([{}])
    state.rules = rulesOf({ dailyNano: 5n }, 2)
    expect(await grants.refreshRules(pool)).toBe(true)
    expect(await grants.refreshRules(pool)).toBe(false)
    const limitsAfter = (other: LeasePool) => {
      grants.recallRules(other)
      return other.terms.counters.map(({ limitNano }) => limitNano)
    }
    expect(limitsAfter(new LeasePool('k', 'a'))).toEqual([5n])
    expect(limitsAfter(new LeasePool('k', 'a', 'u'))).toEqual([])
    expect(limitsAfter(new LeasePool('k2', 'a'))).toEqual([])
  })

  test('are forgotten when there are too many', async () => {
    const { grants, state } = open([{}])
    state.rules = rulesOf({ dailyNano: 5n }, 2)
    for (let count = 0; count <= 10_000; count += 1)
      await grants.refreshRules(new LeasePool(`k${count}`, 'a'))
    const [first, last] = [new LeasePool('k0', 'a'), new LeasePool('k10000', 'a')]
    for (const pool of [first, last]) grants.recallRules(pool)
    expect([first, last].map(({ terms }) => terms.counters.length)).toEqual([0, 1])
  })
})
