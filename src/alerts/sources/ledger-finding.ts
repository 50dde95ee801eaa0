import { type AlertSource, crossingsMax } from '../alert-source.ts'

/** The self-audit has found an account whose ledger does not balance. */
export const ledgerFinding: AlertSource = {
  kind: 'ledger_finding',
  find: async (db) => {
    const rows = await db
      .selectFrom('audit_stop as s')
      .leftJoin('account as a', 'a.id', 's.account_id')
      .select(['s.account_id', 'a.name'])
      .orderBy('s.account_id')
      .limit(crossingsMax)
      .execute()
    return rows.map((row) => ({
      subject: row.account_id,
      accountId: row.account_id,
      values: { account: row.name ?? row.account_id },
    }))
  },
}
