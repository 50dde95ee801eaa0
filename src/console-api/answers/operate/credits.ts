import { newId } from '../../../core/id.ts'
import { toWire } from '../../../fields/definition.ts'
import { grantCredit, reverseCredit } from '../../../ledger/credits.ts'
import { creditDefinition } from '../../../ledger/definition/credit.ts'
import type { OperatorAccountDetail } from '../../contract.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { creditSource, needAccountRow } from './accounts.ts'
import { changeMoney } from './change-money.ts'

/**
 * Sent twice with the same number of its own, or with the same idempotency key, a credit is granted once. A negative
 * amount is a correction.
 */
export async function addCredit(
  call: CallOf<'POST /operate/accounts/{id}/credits'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id } = call
  const credit = await call.body()
  return changeMoney(call, toWire(creditDefinition, credit), async (changing) => {
    await needAccountRow(changing, id)
    const creditId = newId('credit', call.parts.random)
    const rest = { id: creditId, accountId: id, source: creditSource, at: changing.nowMs }
    if (!(await grantCredit(changing, { ...credit, ...rest }))) return id
    const action = credit.amountNano < 0n ? 'account.corrected' : 'account.credited'
    await changing.record({ action, subject: id, after: credit })
    return id
  })
}

/** Takes one credit back, whole. Asked again, nothing more happens. */
export async function reverseOneCredit(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  return changeMoney(call, null, async (changing) => {
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
}
