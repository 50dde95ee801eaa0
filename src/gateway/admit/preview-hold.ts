import type { Fault } from '../../core/fault.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Constraint } from '../exchange.ts'
import type { Caller } from './authenticate.ts'
import { constrain, isTranslated, withRoom } from './constraint.ts'
import { ledgerFault } from './ledger-fault.ts'
import { refuseShortage } from './reserve.ts'
import { type HoldParams, type HoldSize, sizeHold, withAffordableCalls } from './size-hold.ts'

/** The hold that a request would need, and whether the money covers it. */
export interface HoldPreview extends HoldSize {
  /** The part of the amount that is for features beyond plain tokens. */
  readonly featuresNano: Nano
  /** Undefined for a key without a quota of its own. */
  readonly keyNano: Nano | undefined
  /** How the request would be kept within the available money. */
  readonly constraint: Constraint | undefined
  /** The fault that would refuse the request. */
  readonly refusal: Fault | undefined
}

/** Tells what `reserve` would do, without holding any money. Throws when the ledger is unavailable. */
export async function previewHold(
  { account, key }: Caller,
  params: HoldParams,
  ledger: Ledger,
): Promise<HoldPreview> {
  const { facts } = params
  const balances = await ledger
    .forecastHold({ accountId: account.id, keyId: key.id, userId: key.ownerUserId })
    .catch((error: unknown) => {
      throw ledgerFault(error)
    })
  const { keyNano } = balances
  const featuresOf = ({ amountNano }: HoldSize, asked: HoldParams): Nano => {
    if (!facts.features) return 0n
    return amountNano - sizeHold({ ...asked, facts: { ...facts, features: undefined } }).amountNano
  }
  const known = { keyNano, featuresNano: 0n, constraint: undefined, refusal: undefined }
  const wide = sizeHold(params)
  if (!balances.refusalOf(wide.amountNano)) {
    return { ...known, ...wide, featuresNano: featuresOf(wide, params) }
  }
  const narrow = { ...params, input: params.input.tighter() }
  const tight = isTranslated(narrow) ? withRoom(narrow) : narrow
  const shortage = balances.refusalOf(sizeHold(tight).amountNano)
  const fewer = shortage ? withAffordableCalls(shortage.affordableNano, tight) : tight
  const whole = sizeHold(fewer)
  const featuresNano = featuresOf(whole, fewer)
  // A hold that is cut to the balance would reveal the balance.
  const uncut = { ...sizeHold(tight), featuresNano: featuresOf(sizeHold(tight), tight) }
  const cut = (size: HoldSize) => (key.seesBalance ? { ...size, featuresNano } : uncut)
  const short = balances.refusalOf(whole.amountNano)
  if (!short) return { ...known, ...cut(whole) }
  const roomy = isTranslated(fewer) ? fewer : withRoom(fewer)
  const constraint = constrain(short, roomy)
  if (!constraint) {
    const refusal = refuseShortage(short, whole.amountNano, key)
    return { ...known, ...whole, featuresNano, refusal }
  }
  const less = sizeHold(roomy, constraint.tokensMax)
  return { ...known, ...cut(less), constraint }
}
