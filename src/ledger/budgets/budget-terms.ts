import { createHash } from 'node:crypto'
import {
  type Budget,
  type BudgetLimits,
  type BudgetOwnerKind,
  type BudgetPeriod,
  budgetsAt,
  isDated,
} from '../../core/limits/budget.ts'

export interface BudgetOwner {
  readonly kind: BudgetOwnerKind
  readonly accountId: string
  readonly id: string
}

/** The versions of the limits of a key, its account and its member; -1 for a member that does not exist. */
export interface BudgetVersions {
  readonly key: number
  readonly account: number
  readonly member: number
}

/** The limits that apply to the requests of a key. */
export interface BudgetRules {
  readonly versions: BudgetVersions
  readonly owners: readonly { readonly owner: BudgetOwner; readonly limits: BudgetLimits }[]
}

/** A counter: one limit of one owner in one period. Every process derives the same id. */
export interface BudgetCounter extends Budget {
  readonly id: string
  readonly owner: BudgetOwner
}

/** A budget of this owner has a time zone that this runtime does not know. */
export interface UnknownZone {
  readonly owner: BudgetOwner
  readonly zone: string
}

/**
 * The counters that a lease takes its money from, for as long as none of their periods ends. The leases of one key
 * under the same terms share their money; leases under other terms have counters of their own.
 */
export class BudgetTerms {
  /** The empty text when no limit applies. */
  readonly setId: string
  /** If set, nothing is admitted: nobody can tell the present period of a budget. */
  readonly unknownZone: UnknownZone | undefined
  readonly startsAtMs: number
  readonly endsAtMs: number
  rules: BudgetRules
  counters: readonly BudgetCounter[]
  /** The end of the terms on the clock of this process, from the last measurement; never later than the true end. */
  admitUntilMs: number
  /** The database has the counters with their present limits. */
  isStored = false

  constructor(rules: BudgetRules, atMs: number) {
    this.rules = rules
    this.unknownZone = unknownZoneOf(rules, atMs)
    this.counters = countersAt(rules, atMs)
    this.setId = setIdOf(this.counters)
    this.startsAtMs = Math.max(0, ...this.counters.map(({ startsAtMs }) => startsAtMs))
    this.endsAtMs = Math.min(
      Number.POSITIVE_INFINITY,
      ...this.counters.map(({ endsAtMs }) => endsAtMs ?? Number.POSITIVE_INFINITY),
    )
    this.admitUntilMs =
      this.endsAtMs === Number.POSITIVE_INFINITY && !this.unknownZone
        ? Number.POSITIVE_INFINITY
        : Number.NEGATIVE_INFINITY
  }

  contains(databaseMs: number): boolean {
    return databaseMs >= this.startsAtMs && databaseMs < this.endsAtMs
  }

  /**
   * The database had the time `databaseMs` at some moment after `beforeMs` on the clock of this process, so the terms
   * end no earlier than the result.
   */
  measure(beforeMs: number, databaseMs: number): void {
    if (this.endsAtMs < Number.POSITIVE_INFINITY)
      this.admitUntilMs = beforeMs + this.endsAtMs - databaseMs
  }

  /** Takes over new limits for the same counters; false when other counters apply. */
  takeOver(rules: BudgetRules, atMs: number): boolean {
    if (this.unknownZone || unknownZoneOf(rules, atMs)) return false
    const counters = countersAt(rules, atMs)
    if (setIdOf(counters) !== this.setId) return false
    this.rules = rules
    this.counters = counters
    this.isStored = false
    return true
  }
}

export function isSameVersion(left: BudgetVersions, right: BudgetVersions): boolean {
  return left.key === right.key && left.account === right.account && left.member === right.member
}

/** The rules of a key before the database was asked: no limit was ever set. */
export function unlimitedRules(hasMember: boolean): BudgetRules {
  return { versions: { key: 0, account: 0, member: hasMember ? 0 : -1 }, owners: [] }
}

function countersAt({ owners }: BudgetRules, atMs: number): BudgetCounter[] {
  return owners.flatMap(({ owner, limits }) =>
    budgetsAt(limits, atMs)
      .filter(isDated)
      .map((budget) => ({ ...budget, owner, id: counterId(owner, budget) })),
  )
}

function unknownZoneOf({ owners }: BudgetRules, atMs: number): UnknownZone | undefined {
  for (const { owner, limits } of owners) {
    const undated = budgetsAt(limits, atMs).find((budget) => !isDated(budget))
    if (undated) return { owner, zone: limits.zone }
  }
  return undefined
}

/**
 * Ids contain no spaces, so two different counters never get the same text. A limit that is removed and set again has
 * the same counter, with everything that requests in flight hold. Only counters of a former version are named after the
 * setting of their limit as well.
 */
export function counterId(owner: BudgetOwner, budget: Budget): string {
  const { period, startsAtMs, endsAtMs, formerMs } = budget
  const limit = limitId(owner, period)
  if (endsAtMs === null) return limit
  const former = formerMs === null ? '' : ` ${formerMs}`
  return `${limit} ${startsAtMs} ${endsAtMs}${former}`
}

/** Whether a counter has one limit of an owner, in any period of time. */
export function isCounterOf(counter: string, owner: BudgetOwner, period: BudgetPeriod): boolean {
  const limit = limitId(owner, period)
  return counter === limit || counter.startsWith(`${limit} `)
}

function limitId({ kind, accountId, id }: BudgetOwner, period: BudgetPeriod): string {
  return kind === 'member' ? `member ${accountId} ${id} ${period}` : `${kind} ${id} ${period}`
}

const setIdLength = 24

function setIdOf(counters: readonly BudgetCounter[]): string {
  if (counters.length === 0) return ''
  const ids = counters.map(({ id }) => id).sort()
  return createHash('sha256').update(ids.join('\n')).digest('base64url').slice(0, setIdLength)
}
