import { sql } from 'kysely'
import { type AlertSource, crossingsMax, isInUse } from '../alert-source.ts'

/**
 * The balance of an account, including what is reserved for running requests, is below the threshold. An account that
 * never had a credit is not low: it is not in use.
 */
export const creditLow: AlertSource = {
  kind: 'credit_low',
  find: async (db, { accountId, creditBelowNano }, nowMs) => {
    const balance = sql<bigint>`a.available_nano + COALESCE((SELECT CAST(SUM(l.granted_nano - l.used_nano) AS BIGINT)
      FROM lease l WHERE l.account_id = a.id), 0)`
    let accounts = db
      .selectFrom('account as a')
      .select(['a.id', 'a.name', balance.as('balance_nano')])
      .where(isInUse(nowMs))
      .where(balance, '<', creditBelowNano)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('credit as c').select('c.id').whereRef('c.account_id', '=', 'a.id')),
      )
    if (accountId !== null) accounts = accounts.where('a.id', '=', accountId)
    const rows = await accounts.orderBy('a.id').limit(crossingsMax).execute()
    return rows.map((row) => ({
      subject: row.id,
      accountId: row.id,
      values: { account: row.name },
      amounts: { balance: BigInt(row.balance_nano) },
      limits: { threshold: creditBelowNano },
    }))
  },
}
