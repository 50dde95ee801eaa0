import type { Nano } from '../../core/money/money.ts'

/** Without a start or end, the period is open on that side. */
export interface Period {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

/** The part of time relative to a period. */
export type PeriodPart = 'before' | 'within' | 'after'

export function partOf(atMs: number, { fromMs, toMs }: Period): PeriodPart {
  if (fromMs !== undefined && atMs < fromMs) return 'before'
  return toMs !== undefined && atMs >= toMs ? 'after' : 'within'
}

/** The balances of a statement. `net` is credits minus spending in one part of time. */
export function balancesOf(
  net: (part: PeriodPart) => Nano,
  { availableNano, leasedNano }: { readonly availableNano: Nano; readonly leasedNano: Nano },
) {
  const openingNano = net('before')
  const closingNano = openingNano + net('within')
  const sinceNano = net('after')
  return {
    openingNano,
    closingNano,
    sinceNano,
    /** The part that the lines do not explain: zero unless the ledger is wrong. */
    differenceNano: closingNano + sinceNano - availableNano - leasedNano,
  }
}
