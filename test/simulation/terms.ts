import type { Durability } from '../../src/ledger/journal/journal.ts'
import type { Chance } from './chance.ts'

/** What kind of world a seed makes. */
export interface Terms {
  readonly creditNano: bigint
  readonly quotaNano: bigint | undefined
  readonly durability: Durability
  readonly replicas: number
  /** Workers of one machine have their journals in one folder. */
  readonly isDiskShared: boolean
  /** A process has many connections, whose calls overtake each other, as on Postgres. */
  readonly hasManyConnections: boolean
  /** A call that has failed may still be carried out a moment later. */
  readonly hasLateCalls: boolean
  readonly hasPowerLoss: boolean
  /** The disk says that it has synced, and has not. */
  readonly isDiskLying: boolean
  /** A second process is started under a name, now and then on another machine. */
  readonly hasTakeovers: boolean
  /** One replica does not reach the database, the others do. */
  readonly hasPartitions: boolean
  /** Processes stand still for a while, or the machine below them does. */
  readonly hasPauses: boolean
  /** Clocks on the wall are set forward and back. */
  readonly hasJumps: boolean
  /** Bytes of journals change on the disk. */
  readonly hasDamage: boolean
  /** The database is restored from a backup, by somebody who has stopped the one process there is. */
  readonly hasRestores: boolean
  /** Once everybody sleeps until all leases are over. */
  readonly hasNight: boolean
  /** Spending limits; undefined where nobody has one. */
  readonly budgets: BudgetTermsOf | undefined
  /** The midnight that comes in the middle of the trouble: of a day, or of a day, a week and a month. */
  readonly midnightMs: number
  /** When it comes, after the start. */
  readonly resetAtMs: number
}

/** Who has which limit for a period. */
export interface BudgetTermsOf {
  readonly period: 'total' | 'day' | 'week' | 'month'
  readonly keyNano: bigint | null
  readonly memberNano: bigint | null
  readonly accountNano: bigint | null
}

const midnights = [Date.parse('2026-11-04'), Date.parse('2027-02-01')] as const

function budgetsOf(chance: Chance): BudgetTermsOf {
  return {
    period: chance.oneOf('total', 'day', 'day', 'week', 'month'),
    keyNano: chance.oneOf(null, 60n, 700n),
    memberNano: chance.oneOf(90n, 800n),
    accountNano: chance.oneOf(null, 150n, 3_000n),
  }
}

export function termsOf(chance: Chance): Terms {
  const terms = {
    creditNano: BigInt(chance.oneOf(200, 2_000, 100_000)),
    quotaNano: chance.oneOf(undefined, 150n, 5_000n),
    durability: chance.oneOf<Durability>('journal', 'fsync', 'database'),
    replicas: chance.whole(1, 5),
    isDiskShared: chance.is(0.3),
    hasManyConnections: chance.is(0.5),
    hasLateCalls: chance.is(0.3),
    hasPowerLoss: chance.is(0.4),
    isDiskLying: chance.is(0.1),
    hasTakeovers: chance.is(0.25),
    hasPartitions: chance.is(0.4),
    hasPauses: chance.is(0.3),
    hasJumps: chance.is(0.3),
    hasNight: chance.is(0.04),
  }
  const hasDamage = chance.is(0.1)
  // Processes that are started one after the other would spend what the journals of the others are about to charge.
  const hasRestores = terms.replicas === 1 && !terms.hasTakeovers && chance.is(0.4)
  const budgets = chance.is(0.6) ? budgetsOf(chance) : undefined
  const midnightMs = chance.oneOf(...midnights)
  return {
    ...terms,
    hasDamage,
    hasRestores,
    budgets,
    midnightMs,
    resetAtMs: chance.whole(2_000, 43_000),
  }
}
