import type { Nano } from '../core/money.ts'
import type { Writing } from '../store/write.ts'

export interface CreditGrant {
  readonly id: string
  readonly accountId: string
  readonly amountNano: Nano
  /** Who grants, and their own number for this grant: the pair is granted once, however often it is told. */
  readonly source: string
  readonly externalId: string
  readonly reason: string
  readonly at: number
}

/** Adds money to an account. False when this very grant has been made before. */
export async function grantCredit({ tx }: Writing, grant: CreditGrant): Promise<boolean> {
  const inserted = await tx
    .insertInto('credit')
    .values({
      id: grant.id,
      account_id: grant.accountId,
      amount_nano: grant.amountNano,
      source: grant.source,
      external_id: grant.externalId,
      reason: grant.reason,
      created_at: grant.at,
    })
    .onConflict((conflict) => conflict.columns(['source', 'external_id']).doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false
  await tx
    .updateTable('account')
    .set((eb) => ({ available_nano: eb('available_nano', '+', grant.amountNano) }))
    .where('id', '=', grant.accountId)
    .execute()
  return true
}
