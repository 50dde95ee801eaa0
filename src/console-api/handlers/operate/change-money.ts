import { dollarText, type Nano, nanoPerDollar } from '../../../core/money/money.ts'
import { BalanceTooLarge, balanceNanoMax, CreditShortage } from '../../../ledger/credits.ts'
import { withIdempotency } from '../../../store/changes/idempotency.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { explainIdempotency, readIdempotency, storedAnswer } from '../../changes/idempotent.ts'
import type { OperatorAccountDetail } from '../../contract.ts'
import { type ApiRefusal, refuse } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { accountDetailOf } from './describe-account.ts'

type MoneyCall = Pick<SignedInCall, 'deps' | 'session' | 'guard' | 'scope' | 'request'>

/** The account whose money changed, and further members of the response. */
export interface MoneyChange<More> {
  readonly accountId: string
  readonly more: More
}

/**
 * Moves money and returns the account, read in the same transaction. With an idempotency key, a repeated request has no
 * further effect.
 */
export async function changeMoney<More extends object>(
  call: MoneyCall,
  sent: unknown,
  work: (changing: ChangeContext) => Promise<MoneyChange<More>>,
): Promise<JsonAnswer<OperatorAccountDetail & More>> {
  const idempotency = readIdempotency(call.request, call.session.userId, sent)
  try {
    const answer = await change(call, (changing) =>
      withIdempotency(changing, idempotency, changing.nowMs, async () => {
        const { accountId, more } = await work(changing)
        const account = await accountDetailOf(within(call, changing), accountId)
        return { status: 200, body: { ...account, ...more } }
      }),
    )
    return storedAnswer(answer)
  } catch (error) {
    if (error instanceof BalanceTooLarge)
      throw refuse('conflict', 'balance_too_large', {
        field: 'amountNano',
        values: { max: dollarText(balanceNanoMax) },
      })
    if (!(error instanceof CreditShortage)) throw explainIdempotency(error)
    throw refuse('conflict', 'credit_short', {
      field: 'amountNano',
      values: {
        wanted: dollarText(error.wantedNano),
        available: dollarText(error.availableNano),
        leased: dollarText(error.leasedNano),
      },
    })
  }
}

export type ConfirmedCall = Pick<SignedInCall, 'deps'> & {
  readonly query: { confirm?: boolean | undefined }
}

/** A large grant needs a confirmation: most likely a zero or a decimal point is misplaced. */
export function needConfirmation(
  { deps, query }: ConfirmedCall,
  field: 'amountNano' | 'creditNano' | 'credit',
  amountNano: Nano,
): void {
  if (amountNano < confirmFromNanoOf(deps) || query.confirm === true) return
  throw unconfirmed(deps, field, amountNano)
}

/** The amount from which a grant needs a confirmation. */
export function confirmFromNanoOf({ confirmGrantsFrom }: SignedInCall['deps']): Nano {
  return BigInt(confirmGrantsFrom) * nanoPerDollar
}

export function unconfirmed(
  deps: SignedInCall['deps'],
  field: string,
  amountNano: Nano,
): ApiRefusal {
  const values = { from: dollarText(confirmFromNanoOf(deps)), amount: dollarText(amountNano) }
  return refuse('conflict', 'credit_unconfirmed', { field, values })
}

/** The call with the transaction as its database. */
function within({ deps }: MoneyCall, { tx }: ChangeContext): Pick<SignedInCall, 'deps'> {
  return { deps: { ...deps, engine: { ...deps.engine, db: tx } } }
}
