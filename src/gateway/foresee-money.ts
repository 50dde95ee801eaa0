import type { Fault } from '../core/fault.ts'
import type { Nano } from '../core/money.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Caller } from './authenticate.ts'
import { type Constraint, type ConstraintQuestion, constrain } from './constraint.ts'
import { outOfReach, refuseShortage } from './reserve.ts'
import { type HoldSize, sizeHold } from './size-hold.ts'

/** What setting money aside would come to. */
export interface ForeseenMoney extends HoldSize {
  /** What of the amount is for features beyond plain tokens. */
  readonly featuresNano: Nano
  /** Undefined for a key without a quota of its own. */
  readonly keyNano: Nano | undefined
  /** How the request would be kept within the money that there is. */
  readonly constraint: Constraint | undefined
  /** With what it would be refused. */
  readonly refusal: Fault | undefined
}

/** The question that `reserve` answers, without taking anything. Throws when the ledger cannot be asked. */
export async function foreseeMoney(
  { account, key }: Caller,
  question: ConstraintQuestion,
  ledger: Ledger,
): Promise<ForeseenMoney> {
  const { bodyBytes, facts, candidates } = question
  const foresight = await ledger
    .foresee({ accountId: account.id, keyId: key.id })
    .catch((error: unknown) => {
      throw outOfReach(error)
    })
  const { keyNano } = foresight
  const whole = sizeHold(bodyBytes, facts, candidates)
  const plain = facts.features
    ? sizeHold(bodyBytes, { ...facts, features: undefined }, candidates)
    : whole
  const featuresNano = whole.amountNano - plain.amountNano
  const short = foresight.refusalOf(whole.amountNano)
  const known = { ...whole, featuresNano, keyNano, constraint: undefined, refusal: undefined }
  if (!short) return known
  const constraint = constrain(short, question)
  if (!constraint) return { ...known, refusal: refuseShortage(short.reason) }
  return { ...known, ...sizeHold(bodyBytes, facts, candidates, constraint.tokensMax), constraint }
}
