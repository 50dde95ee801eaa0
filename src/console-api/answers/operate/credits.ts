import { newId } from '../../../core/id.ts'
import { formatDollars } from '../../../core/money.ts'
import { CreditShortage, grantCredit, reverseCredit } from '../../../ledger/credits.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { OperatorAccountDetail } from '../../contract.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { accountDetailOf, creditSource, needAccountRow } from './accounts.ts'

/** Sent twice with the same number of its own, a credit is granted once. A negative amount is a correction. */
export async function addCredit(
  call: CallOf<'POST /operate/accounts/{id}/credits'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id } = call
  const credit = await call.body()
  await changeMoney(call, async (changing) => {
    await needAccountRow(changing, id)
    const creditId = newId('credit', call.parts.random)
    const rest = { id: creditId, accountId: id, source: creditSource, at: changing.nowMs }
    if (!(await grantCredit(changing, { ...credit, ...rest }))) return
    const action = credit.amountNano < 0n ? 'account.corrected' : 'account.credited'
    await changing.record({ action, subject: id, after: credit })
  })
  return { body: await accountDetailOf(call, id) }
}

/** Takes one credit back, whole. Asked again, nothing more happens. */
export async function reverseOneCredit(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const accountId = await changeMoney(call, async (changing) => {
    const credit = await changing.tx
      .selectFrom('credit')
      .select(['id', 'account_id', 'amount_nano', 'reason', 'reverses'])
      .where('id', '=', call.id)
      .executeTakeFirst()
    if (!credit) throw new Refusal('not_found', 'There is no such credit.')
    if (credit.reverses !== null) throw refuse('conflict', 'reversal_final')
    const id = newId('credit', call.parts.random)
    const reversal = { id, source: creditSource, at: changing.nowMs }
    if (await reverseCredit(changing, credit, reversal)) {
      const { amount_nano, reason, account_id: subject } = credit
      const after = { amountNano: -amount_nano, reason, reverses: credit.id }
      await changing.record({ action: 'account.credit-reversed', subject, after })
    }
    return credit.account_id
  })
  return { body: await accountDetailOf(call, accountId) }
}

async function changeMoney<Result>(
  call: SignedInCall,
  work: (changing: ChangeTools) => Promise<Result>,
): Promise<Result> {
  try {
    return await change(call, work)
  } catch (error) {
    if (!(error instanceof CreditShortage)) throw error
    throw refuse('conflict', 'credit_short', {
      field: 'amountNano',
      values: {
        wanted: `$${formatDollars(error.wantedNano)}`,
        available: `$${formatDollars(error.availableNano)}`,
        leased: `$${formatDollars(error.leasedNano)}`,
      },
    })
  }
}
