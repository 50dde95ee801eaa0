import { type Nano, smallerOf } from '../../core/money/money.ts'
import type { LeasePool } from './lease-pool.ts'
import type { CounterPart, FundParts, MoneyPart } from './short-budget.ts'

/** What has too little free money for a hold, although its leases have more. Only these leases can help. */
export interface ShortFunds {
  readonly isAccountShort: boolean
  readonly isKeyShort: boolean
  readonly counterIds: ReadonlySet<string>
  /** All leases together have enough for the whole amount, and not only for a part of it. */
  readonly isPayable: boolean
}

/**
 * Undefined when returned leases would not make more of the amount affordable: the account, the key or a budget has no
 * more than its free money. Otherwise a key that has spent its own budget would take the leases of all other keys away
 * with each request. Settlements that the database does not have yet only make the leases poorer.
 */
export function shortFundsOf(
  { account, key }: FundParts,
  parts: readonly CounterPart[],
  amountNano: Nano,
): ShortFunds | undefined {
  const all: MoneyPart[] = [account, ...(key ? [key] : []), ...parts]
  const possibleNano = all.map(wholeOf).reduce(smallerOf)
  if (possibleNano <= 0n) return undefined
  const wantedNano = smallerOf(amountNano, possibleNano)
  const isShort = ({ freeNano }: MoneyPart): boolean => freeNano < wantedNano
  const isPayable = possibleNano >= amountNano
  if (!isPayable && !all.some(isShort)) return undefined
  return {
    isAccountShort: isShort(account),
    isKeyShort: key !== undefined && isShort(key),
    counterIds: new Set(parts.filter(isShort).map(({ counter }) => counter.id)),
    isPayable,
  }
}

function wholeOf({ freeNano, heldNano }: MoneyPart): Nano {
  return freeNano + heldNano
}

/** Whether leases of this pool take their money from something that `keyId` lacks. */
export function mayHelp(
  { isAccountShort, isKeyShort, counterIds }: ShortFunds,
  pool: LeasePool,
  keyId: string,
): boolean {
  if (isAccountShort || (isKeyShort && pool.keyId === keyId)) return true
  const isShared = ({ counters }: LeasePool['terms']): boolean =>
    counters.some(({ id }) => counterIds.has(id))
  return isShared(pool.terms) || pool.leases.some(({ terms }) => isShared(terms))
}

export interface IdleMoney {
  findShort(): Promise<ShortFunds | undefined>
  /** Returns idle money of this process to the database; false when there was none. */
  giveBack(short: ShortFunds): Promise<boolean>
  fetch(): Promise<boolean>
}

/** While money is collected, other requests may take it, and then something else may be short. */
const roundsMax = 3

/**
 * Collects idle money of this process for a hold. Returns true when the hold was granted, false when no lease can help,
 * and otherwise what is still short, for which other processes may have money.
 */
export async function collectIdle({
  findShort,
  giveBack,
  fetch,
}: IdleMoney): Promise<boolean | ShortFunds> {
  let short: ShortFunds | undefined
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    short = await findShort()
    if (!short) return false
    const isGiven = await giveBack(short)
    if (short.isPayable && (isGiven || isCovered(short)) && (await fetch())) return true
    if (!isGiven) return short
  }
  return short ?? false
}

/** The money has come back since the database refused it. */
function isCovered({ isAccountShort, isKeyShort, counterIds }: ShortFunds): boolean {
  return !isAccountShort && !isKeyShort && counterIds.size === 0
}
