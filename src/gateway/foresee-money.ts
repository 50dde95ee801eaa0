import type { Fault } from '../core/fault.ts'
import type { Nano } from '../core/money.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Caller } from './authenticate.ts'
import type { InputBound } from './bound-input.ts'
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
  const { facts, candidates } = question
  const foresight = await ledger
    .foresee({ accountId: account.id, keyId: key.id })
    .catch((error: unknown) => {
      throw outOfReach(error)
    })
  const { keyNano } = foresight
  const featuresOf = ({ amountNano }: HoldSize, input: InputBound): Nano => {
    if (!facts.features) return 0n
    return amountNano - sizeHold(input, { ...facts, features: undefined }, candidates).amountNano
  }
  const known = { keyNano, featuresNano: 0n, constraint: undefined, refusal: undefined }
  const wide = sizeHold(question.input, facts, candidates)
  if (!foresight.refusalOf(wide.amountNano)) {
    return { ...known, ...wide, featuresNano: featuresOf(wide, question.input) }
  }
  const input = question.input.tighter()
  const whole = sizeHold(input, facts, candidates)
  const featuresNano = featuresOf(whole, input)
  const short = foresight.refusalOf(whole.amountNano)
  if (!short) return { ...known, ...whole, featuresNano }
  const constraint = constrain(short, { ...question, input })
  if (!constraint) {
    const refusal = refuseShortage(short, whole.amountNano)
    return { ...known, ...whole, featuresNano, refusal }
  }
  const less = sizeHold(input, facts, candidates, constraint.tokensMax)
  return { ...known, ...less, featuresNano, constraint }
}
