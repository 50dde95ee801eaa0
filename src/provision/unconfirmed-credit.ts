import { ConfigProblem } from '../config/config-problem.ts'
import { dollarText, type Nano, nanoPerDollar } from '../core/money/money.ts'

/** The amount from which a new credit needs a confirmation, or that one was given. */
export type GrantCheck = 'confirmed' | { readonly confirmFromNano: Nano }

/** The rule of the setting `confirmGrantsFrom`. */
export function grantCheckOf(setting: { readonly confirmGrantsFrom: number }): GrantCheck {
  return { confirmFromNano: BigInt(setting.confirmGrantsFrom) * nanoPerDollar }
}

/** A new account would get a large credit without a confirmation: most likely a decimal point is misplaced. */
export class UnconfirmedCredit extends ConfigProblem {
  readonly amountNano: Nano

  constructor(where: string, amountNano: Nano, fromNano: Nano) {
    const [amount, from] = [dollarText(amountNano), dollarText(fromNano)]
    super(
      `${where}: a credit of ${amount} needs a confirmation, because it is ${from} or more; if the amount is right, run "tollgate apply --yes" or raise confirmGrantsFrom.`,
      { place: where },
    )
    this.amountNano = amountNano
  }
}
