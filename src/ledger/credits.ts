import { sql } from 'kysely'
import { type Nano, nanoPerDollar } from '../core/money/money.ts'
import type { Writing } from '../store/changes/write.ts'

export interface CreditGrant {
  readonly id: string
  readonly accountId: string
  /** Negative for a correction, which takes money back. */
  readonly amountNano: Nano
  /**
   * The grantor and its own id for this grant. Each pair is granted only once, however often the request is repeated.
   */
  readonly source: string
  readonly externalId: string
  readonly reason: string
  readonly at: number
}

/** A correction or reversal exceeds the available money of the account. Nothing was taken. */
export class CreditShortage extends Error {
  override readonly name = 'CreditShortage'
  readonly wantedNano: Nano
  readonly availableNano: Nano
  /** Money in leases of running processes. The unused part comes back. */
  readonly leasedNano: Nano

  constructor(amounts: { wantedNano: Nano; availableNano: Nano; leasedNano: Nano }) {
    super('the account has less available than this credit takes back')
    this.wantedNano = amounts.wantedNano
    this.availableNano = amounts.availableNano
    this.leasedNano = amounts.leasedNano
  }
}

/** The largest balance that a credit may lead to. The databases count to about twice as much, leases included. */
export const balanceNanoMax = 4_000_000_000n * nanoPerDollar

/** A credit would make the balance larger than `balanceNanoMax`. Nothing was granted. */
export class BalanceTooLarge extends Error {
  override readonly name = 'BalanceTooLarge'

  constructor() {
    super('the balance of the account would be too large')
  }
}

/**
 * Adds money to an account, or takes it back when the amount is negative. False when the same grant already exists.
 * Throws a `CreditShortage` instead of letting a balance go below zero, and a `BalanceTooLarge` instead of letting it
 * exceed what a database can count; both must roll back the transaction.
 */
export function grantCredit(writing: Writing, grant: CreditGrant): Promise<boolean> {
  return addCreditRow(writing, grant, null)
}

export interface CreditReversal {
  readonly id: string
  readonly source: string
  readonly at: number
}

export interface ReversibleCredit {
  readonly id: string
  readonly account_id: string
  readonly amount_nano: Nano
  readonly reason: string
}

/**
 * Takes back a credit, or returns a correction, as a new row that names the original: in full, and only once. False
 * when the original was already reversed. The external id is the reversal's own: an id derived from the credit could
 * already name another credit, and nothing would be reversed.
 */
export function reverseCredit(
  writing: Writing,
  credit: ReversibleCredit,
  reversal: CreditReversal,
): Promise<boolean> {
  const grant = {
    ...reversal,
    accountId: credit.account_id,
    amountNano: -credit.amount_nano,
    externalId: reversal.id,
    reason: credit.reason,
  }
  return addCreditRow(writing, grant, credit.id)
}

async function addCreditRow(
  writing: Writing,
  grant: CreditGrant,
  reverses: string | null,
): Promise<boolean> {
  const inserted = await writing.tx
    .insertInto('credit')
    .values({
      id: grant.id,
      account_id: grant.accountId,
      amount_nano: grant.amountNano,
      source: grant.source,
      external_id: grant.externalId,
      reason: grant.reason,
      created_at: grant.at,
      reverses,
    })
    // The pair of source and external id, or the reversal of this credit, already exists.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false
  await moveBalance(writing, grant)
  return true
}

/** One conditional statement, so that a concurrent lease cannot take the same money. */
async function moveBalance({ tx }: Writing, { accountId, amountNano }: CreditGrant): Promise<void> {
  const move = tx
    .updateTable('account')
    .set((eb) => ({ available_nano: eb('available_nano', '+', amountNano) }))
    .where('id', '=', accountId)
  const bounded =
    amountNano < 0n
      ? move.where('available_nano', '>=', -amountNano)
      : move.where('available_nano', '<=', balanceNanoMax - amountNano)
  const { numUpdatedRows } = await bounded.executeTakeFirst()
  if (numUpdatedRows > 0n) return
  if (amountNano >= 0n) throw new BalanceTooLarge()
  const funds = await tx
    .selectFrom('account')
    .select([
      'available_nano',
      sql<bigint>`CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease
        WHERE account_id = account.id), 0) AS BIGINT)`.as('leased_nano'),
    ])
    .where('id', '=', accountId)
    .executeTakeFirst()
  throw new CreditShortage({
    wantedNano: -amountNano,
    availableNano: funds?.available_nano ?? 0n,
    leasedNano: funds?.leased_nano ?? 0n,
  })
}
