import moment from 'moment-timezone'
import type { Shortage } from '../../../src/ledger/ledger.ts'

/* What docs/budgets.md promises, in plain integers: no leases, no counters, and the calendar of another library. */

export const ownerNames = ['key', 'member', 'account'] as const
export type OwnerName = (typeof ownerNames)[number]
export const periods = ['total', 'day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

export interface ModelLimits {
  readonly nano: Readonly<Partial<Record<Period, bigint>>>
  readonly zone: string
  readonly monthDay: number
}

export interface ModelRequest {
  readonly keyId: string
  /** The owner of the key at the admission; undefined for a service key. */
  readonly userId: string | undefined
  readonly admittedAtMs: number
  /** The limits that applied at the admission, each with the bounds of its period: what the request holds money of. */
  readonly limitedBy: ReadonlySet<string>
  heldNano: bigint
  /** Undefined while the request runs. */
  costNano: bigint | undefined
}

export interface Expected {
  readonly reason: Shortage
  readonly resetsAtMs: number | null | undefined
}

const reasons = {
  key: 'key_quota_exhausted',
  member: 'member_budget_exhausted',
  account: 'account_budget_exhausted',
} as const

/** The first moment and the end of the period of a moment. */
export function boundsOf(
  period: Period,
  atMs: number,
  { zone, monthDay }: ModelLimits,
): [number, number | null] {
  if (period === 'total') return [0, null]
  const at = moment.tz(atMs, zone)
  if (period === 'day')
    return [at.clone().startOf('day').valueOf(), at.clone().add(1, 'day').startOf('day').valueOf()]
  if (period === 'week') {
    const first = at.clone().startOf('isoWeek')
    return [first.valueOf(), first.clone().add(7, 'days').startOf('day').valueOf()]
  }
  const inMonth = (months: number) => {
    const first = at.clone().startOf('month').add(months, 'months')
    return first.date(Math.min(monthDay, first.daysInMonth())).startOf('day').valueOf()
  }
  const present = inMonth(0)
  return present <= atMs ? [present, inMonth(1)] : [inMonth(-1), present]
}

export class BudgetModel {
  nowMs: number
  readonly requests: ModelRequest[] = []
  readonly limits = new Map<string, ModelLimits>()
  /** The owner of each key; undefined for a service key. */
  readonly owners = new Map<string, string | undefined>()

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  /** The spent amount and the reset of each limit of an owner. */
  budgetsOf(owner: OwnerName, id: string) {
    const limits = this.limits.get(`${owner} ${id}`)
    return periods.flatMap((period) => {
      const limitNano = limits?.nano[period]
      if (!limits || limitNano === undefined) return []
      const [startMs, endMs] = boundsOf(period, this.nowMs, limits)
      const counted = this.requests.filter(
        (each) =>
          each.admittedAtMs >= startMs &&
          { key: each.keyId, member: each.userId, account: 'acme' }[owner] === id,
      )
      const spentNano = sumOf(counted.map(({ costNano }) => costNano ?? 0n))
      // A request that was admitted without the limit holds nothing of it, whatever the limits were in between.
      const name = `${owner} ${id} ${period} ${startMs} ${endMs}`
      const running = counted.filter(
        ({ costNano, limitedBy }) => costNano === undefined && limitedBy.has(name),
      )
      const heldNano = sumOf(running.map((each) => each.heldNano))
      return [{ name, owner, period, limitNano, endMs, spentNano, heldNano }]
    })
  }

  /** The budgets that apply to a request of a key. */
  budgetsFor(keyId: string) {
    const userId = this.owners.get(keyId)
    return [
      ...this.budgetsOf('key', keyId),
      ...(userId === undefined ? [] : this.budgetsOf('member', userId)),
      ...this.budgetsOf('account', 'acme'),
    ]
  }

  /** Why a request is refused; undefined when it must be admitted. */
  refusalOf(keyId: string, amountNano: bigint): Expected | undefined {
    const all = this.budgetsFor(keyId)
    const isTooMuch = all.some(
      ({ limitNano, spentNano, heldNano }) => limitNano - spentNano - heldNano < amountNano,
    )
    if (!isTooMuch) return undefined
    const short = all.filter(({ limitNano, spentNano }) => limitNano - spentNano < amountNano)
    // No reset helps when the whole budget of a key or a member is too small.
    const helpsAt = ({ owner, limitNano, endMs }: (typeof short)[number]): number =>
      owner !== 'account' && limitNano < amountNano
        ? Number.POSITIVE_INFINITY
        : (endMs ?? Number.POSITIVE_INFINITY)
    const lastMs = Math.max(0, ...short.map(helpsAt))
    const named = short.find((each) => helpsAt(each) === lastMs)
    return named
      ? { reason: reasons[named.owner], resetsAtMs: named.endMs }
      : { reason: 'quota_in_flight', resetsAtMs: undefined }
  }
}

function sumOf(all: readonly bigint[]): bigint {
  return all.reduce((sum, each) => sum + each, 0n)
}
