import type { Durability } from '../../src/core/runtime/durability.ts'
import type { Chance } from './chance.ts'

/** The conditions of one seed. */
export interface Terms {
  readonly creditNano: bigint
  readonly quotaNano: bigint | undefined
  readonly durability: Durability
  readonly replicas: number
  /** Workers of one machine have their journals in one folder. */
  readonly isDiskShared: boolean
  /** A process has many connections, whose calls may overtake each other, as on Postgres. */
  readonly hasManyConnections: boolean
  /** A call that has failed may still be executed a moment later. */
  readonly hasLateCalls: boolean
  readonly hasPowerLoss: boolean
  /** The disk reports a sync that it has not done. */
  readonly isDiskLying: boolean
  /** A second process starts under the same name, sometimes on another machine. */
  readonly hasTakeovers: boolean
  /** One replica cannot reach the database, the others can. */
  readonly hasPartitions: boolean
  /** Processes, or whole machines, are suspended for a while. */
  readonly hasPauses: boolean
  /** Wall clocks are set forward and back. */
  readonly hasJumps: boolean
  /** Bytes in journals change on the disk. */
  readonly hasDamage: boolean
  /** The database is restored from a backup, after the only process was stopped. */
  readonly hasRestores: boolean
  /** Once, all processes sleep until all leases have expired. */
  readonly hasNight: boolean
  /** Spending limits; undefined: there are none. */
  readonly budgets: BudgetTermsOf | undefined
  /** The midnight during the trouble: the end of a day, or of a day, a week and a month. */
  readonly midnightMs: number
  /** The time of this midnight after the start. */
  readonly resetAtMs: number
}

/** The limits of each owner for a period. */
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
  // With several processes, one that starts earlier would spend money that the journals of the others are about to
  // charge.
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
