import { noMarks } from '../src/core/limits/budget.ts'
import { noUsage } from '../src/core/money/usage.ts'
import { type BudgetRules, BudgetTerms } from '../src/ledger/budgets/budget-terms.ts'
import { admitValues } from '../src/ledger/journal/admit-record.ts'
import { settleRecord } from '../src/ledger/journal/settle-record.ts'
import type { LeasePool } from '../src/ledger/leases/lease-pool.ts'
import { LeasePools } from '../src/ledger/leases/lease-pools.ts'
import type { HoldRequest, Settlement } from '../src/ledger/ledger.ts'
import { median } from './median.ts'
import type { Outcome } from './scenario.ts'

const rounds = 31
const callsPerRound = 50_000
const limitNano = 1_000_000_000_000n

// Measures the CPU time that budgets add to a request on the main thread: its hold, its two records and its release.
// Needs no other process.
export function runBudgetScenario(): Outcome {
  const { none, all } = compareRequests(requestWith([]), requestWith(['key', 'member', 'account']))
  return {
    scenario: 'budgets',
    title: `hold and settlement in memory, median of ${rounds} rounds of ${callsPerRound} requests`,
    rows: [
      { target: 'no budgets', figures: { 'us per request': none } },
      { target: 'eleven budgets', figures: { 'us per request': all } },
    ],
    goals: [{ title: 'added by eleven budgets', value: all - none, atMost: 1, unit: 'us' }],
  }
}

// The microseconds of a request. The cases alternate, so that a machine that slows down affects both.
export function compareRequests(
  none: () => void,
  all: () => void,
): { readonly none: number; readonly all: number } {
  const figures = { none: [] as number[], all: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    figures.none.push(microseconds(none))
    figures.all.push(microseconds(all))
  }
  return { none: median(figures.none), all: median(figures.all) }
}

function microseconds(work: () => void): number {
  const startedMs = performance.now()
  for (let call = 0; call < callsPerRound; call += 1) work()
  return ((performance.now() - startedMs) * 1_000) / callsPerRound
}

type Owner = 'key' | 'member' | 'account'

// A total, a day, a week and a month of each owner; a key has a quota instead of a total.
function rulesOf(owners: readonly Owner[]): BudgetRules {
  return {
    versions: { key: 1, account: 1, member: 1 },
    owners: owners.map((kind) => ({
      owner: { kind, accountId: 'account', id: kind },
      limits: {
        totalNano: kind === 'key' ? null : limitNano,
        dailyNano: limitNano,
        weeklyNano: limitNano,
        monthlyNano: limitNano,
        zone: 'Europe/Paris',
        monthDay: 1,
        alertPercent: 80,
        marks: noMarks,
      },
    })),
  }
}

// The hold, the records and the release of a request under the budgets of these owners.
export function requestWith(owners: readonly Owner[]): () => void {
  const nowMs = 1_790_000_000_000
  const pools = new LeasePools((pool) => fill(pool, new BudgetTerms(rulesOf(owners), nowMs)))
  return () => {
    const pool = pools.of(asked)
    const lease = pool.take(asked.amountNano, 0)
    if (!lease) throw new Error('there is no money')
    admitValues(asked, lease)
    const { setId } = lease.terms
    const { requestId, accountId, keyId } = asked
    const budgetSet = setId === '' ? undefined : setId
    settleRecord({ requestId, accountId, keyId, leaseId: lease.id, budgetSet }, settlement)
    pool.release(lease, asked.amountNano, 0n)
  }
}

function fill(pool: LeasePool, terms: BudgetTerms): void {
  terms.measure(0, terms.startsAtMs)
  pool.terms = terms
  pool.add({
    id: 'lease',
    terms,
    grantedNano: limitNano,
    usedNano: 0n,
    version: 1,
    heldNano: 0n,
    holds: 0,
    unshipped: 0,
    renewedMs: 0,
    isGone: false,
  })
}

const asked: HoldRequest = {
  requestId: '019a8f00-0000-7000-8000-000000000000',
  accountId: 'account',
  keyId: 'key',
  userId: 'user',
  amountNano: 1_000n,
  recoveryNano: 100n,
  recovery: {
    at: 1,
    model: 'model',
    protocol: 'chat-completions',
    groupId: 'default',
    priceVersionId: 'price',
    factorMicro: 1_000_000,
    inputTokens: 1,
    isStream: false,
    clientAddress: '127.0.0.1',
  },
}

const settlement: Settlement = {
  costNano: 100n,
  usage: noUsage,
  usageSource: 'upstream',
  priceVersionId: 'price',
  factorMicro: 1_000_000n,
  flags: [],
}
