import { newId } from '../../../core/id.ts'
import { formatDollars } from '../../../core/money.ts'
import { toWire } from '../../../fields/definition.ts'
import { CreditShortage, grantCredit, reverseCredit } from '../../../ledger/credits.ts'
import { creditDefinition } from '../../../ledger/definition/credit.ts'
import { type IdempotentRequest, withIdempotency } from '../../../store/idempotency.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { OperatorAccountDetail } from '../../contract.ts'
import { explainIdempotency, readIdempotency, storedAnswer } from '../../idempotent.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { accountDetailOf, creditSource, needAccountRow } from './accounts.ts'

/**
 * Sent twice with the same number of its own, or with the same idempotency key, a credit is granted once. A negative
 * amount is a correction.
 */
export async function addCredit(
  call: CallOf<'POST /operate/accounts/{id}/credits'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id } = call
  const credit = await call.body()
  return changeMoney(
    call,
    idempotencyOf(call, toWire(creditDefinition, credit)),
    async (changing) => {
      await needAccountRow(changing, id)
      const creditId = newId('credit', call.parts.random)
      const rest = { id: creditId, accountId: id, source: creditSource, at: changing.nowMs }
      if (!(await grantCredit(changing, { ...credit, ...rest }))) return id
      const action = credit.amountNano < 0n ? 'account.corrected' : 'account.credited'
      await changing.record({ action, subject: id, after: credit })
      return id
    },
  )
}

/** Takes one credit back, whole. Asked again, nothing more happens. */
export async function reverseOneCredit(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  return changeMoney(call, idempotencyOf(call, null), async (changing) => {
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

function idempotencyOf({ request, session }: SignedInCall, body: unknown) {
  return readIdempotency(request, session.userId, body)
}

/** Changes money and answers with the account as it is then, read in the transaction that has changed it. */
async function changeMoney(
  call: SignedInCall,
  idempotency: IdempotentRequest | undefined,
  work: (changing: ChangeTools) => Promise<string>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  try {
    const answer = await change(call, (changing) =>
      withIdempotency(changing, idempotency, changing.nowMs, async () => {
        const accountId = await work(changing)
        return { status: 200, body: await accountDetailOf(within(call, changing), accountId) }
      }),
    )
    return storedAnswer(answer)
  } catch (error) {
    if (!(error instanceof CreditShortage)) throw explainIdempotency(error)
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

/** The call with a database that sees what the transaction has changed. */
function within(call: SignedInCall, { tx }: ChangeTools): SignedInCall {
  const { parts } = call
  return { ...call, parts: { ...parts, engine: { ...parts.engine, db: tx } } }
}
