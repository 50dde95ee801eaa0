import { newId } from '../../../core/id.ts'
import { dollarText } from '../../../core/money/money.ts'
import { toWire } from '../../../fields/definition.ts'
import {
  type CreditGrant,
  grantCredit,
  type ReversibleCredit,
  reverseCredit,
} from '../../../ledger/credits.ts'
import { creditDefinition } from '../../../ledger/definition/credit.ts'
import type { ChangeContext } from '../../changes/change.ts'
import type { MoneyMoved } from '../../contract.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { creditSourceOf, needAccount } from './accounts.ts'
import { type ConfirmedCall, changeMoney, needConfirmation } from './change-money.ts'

const nothingMoved = { movedNano: '0' }
const creditColumns = ['id', 'account_id', 'amount_nano', 'reason', 'reverses'] as const

interface FoundCredit extends ReversibleCredit {
  readonly reverses: string | null
}

/** With the same external id or idempotency key, a credit is granted once. A negative amount is a correction. */
export async function addCredit(
  call: CallOf<'POST /operate/accounts/{id}/credits'>,
): Promise<JsonAnswer<MoneyMoved>> {
  const { id } = call
  const credit = await call.body()
  return changeMoney(call, toWire(creditDefinition, credit), async (changing) => {
    await needAccount(changing, id)
    needConfirmation(call, 'amountNano', credit.amountNano)
    const creditId = newId('credit', call.deps.random)
    const source = creditSourceOf(call)
    const rest = { id: creditId, accountId: id, source, at: changing.nowMs }
    if (!(await grantCredit(changing, { ...credit, ...rest }))) {
      await needSame(changing, { ...credit, accountId: id, source })
      return { accountId: id, more: nothingMoved }
    }
    const action = credit.amountNano < 0n ? 'account.corrected' : 'account.credited'
    await changing.record({ action, subject: id, after: credit })
    return { accountId: id, more: { movedNano: String(credit.amountNano) } }
  })
}

/**
 * A repetition names the same account and amount. Anything else, a reversal included, is another credit under an id that
 * is in use.
 */
async function needSame(
  { tx }: ChangeContext,
  wanted: Pick<CreditGrant, 'accountId' | 'amountNano' | 'source' | 'externalId'>,
): Promise<void> {
  const { accountId, amountNano, source, externalId: id } = wanted
  const known = await tx
    .selectFrom('credit')
    .select(['account_id', 'amount_nano', 'reverses'])
    .where('source', '=', source)
    .where('external_id', '=', id)
    .executeTakeFirst()
  if (!known) return
  const isSameMove = known.account_id === accountId && known.amount_nano === amountNano
  if (isSameMove && known.reverses === null) return
  const values = { id, account: known.account_id, amount: dollarText(known.amount_nano) }
  throw refuse('conflict', 'credit_taken', { field: 'externalId', values })
}

/** Reverses one credit completely. A repeated call has no further effect. */
export async function reverseOneCredit(
  call: CallOf<'POST /operate/credits/{id}/reverse'>,
): Promise<JsonAnswer<MoneyMoved>> {
  return changeMoney(call, null, async (changing) => {
    const credit = await changing.tx
      .selectFrom('credit')
      .select(creditColumns)
      .where('id', '=', call.id)
      .executeTakeFirst()
    if (!credit) throw missingCredit()
    return reverse(call, changing, credit)
  })
}

/**
 * Reverses a credit of this account by its id, or otherwise by its external id. External ids are chosen by the grantors:
 * one may be the id of another credit, and several grantors may use the same one.
 */
export async function reverseNamedCredit(
  call: CallOf<'POST /operate/accounts/{id}/reverse'>,
): Promise<JsonAnswer<MoneyMoved>> {
  const { id } = call
  const body = await call.body()
  return changeMoney(call, body, async (changing) => {
    await needAccount(changing, id)
    const found = await changing.tx
      .selectFrom('credit')
      .select(creditColumns)
      .where('account_id', '=', id)
      .where((eb) => eb.or([eb('id', '=', body.credit), eb('external_id', '=', body.credit)]))
      .orderBy('id')
      .execute()
    const [first, second] = found
    const credit = found.find((each) => each.id === body.credit) ?? first
    if (!credit) throw missingCredit()
    if (second && credit.id !== body.credit) {
      const values = { credit: body.credit, ids: found.map((each) => each.id).join(', ') }
      throw refuse('conflict', 'credit_ambiguous', { values, field: 'credit' })
    }
    return reverse(call, changing, credit)
  })
}

/** The reversal of a correction is a grant. */
async function reverse(
  call: ConfirmedCall & Pick<SignedInCall, 'session'>,
  changing: ChangeContext,
  credit: FoundCredit,
) {
  const { account_id: accountId, amount_nano, reason } = credit
  if (credit.reverses !== null) throw refuse('conflict', 'reversal_final')
  const id = newId('credit', call.deps.random)
  const reversal = { id, source: creditSourceOf(call), at: changing.nowMs }
  if (!(await reverseCredit(changing, credit, reversal))) return { accountId, more: nothingMoved }
  needConfirmation(call, 'credit', -amount_nano)
  const after = { amountNano: -amount_nano, reason, reverses: credit.id }
  await changing.record({ action: 'account.credit-reversed', subject: accountId, after })
  return { accountId, more: { movedNano: String(-amount_nano) } }
}

/** The account exists, but the credit does not. */
function missingCredit(): ApiRefusal {
  return new ApiRefusal('not_found', 'This credit does not exist.', { field: 'credit' })
}
