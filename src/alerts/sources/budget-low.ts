import { type AlertSource, crossingsMax } from '../alert-source.ts'

/** A budget that is reached in the last minute of its period is still reported. */
const reportedAfterMs = 24 * 60 * 60_000

/**
 * The spending of a key, member or account has reached the alert share of a budget. The ledger records this with the
 * settlement, so a period that ends before the next evaluation is not missed.
 */
export const budgetLow: AlertSource = {
  kind: 'budget_low',
  find: async (db, { accountId }, nowMs) => {
    let budgets = db
      .selectFrom('budget_counter as c')
      .innerJoin('account as a', 'a.id', 'c.account_id')
      .leftJoin('api_key as k', (join) =>
        join.onRef('k.id', '=', 'c.owner_id').on('c.owner_kind', '=', 'key'),
      )
      .leftJoin('console_user as u', (join) =>
        join.onRef('u.id', '=', 'c.owner_id').on('c.owner_kind', '=', 'member'),
      )
      .select(['c.id', 'c.owner_id', 'c.limit_nano', 'c.spent_nano', 'c.ends_at'])
      .select(['a.id as account_id', 'a.name as account_name'])
      .select(['k.name as key_name', 'u.email', 'u.invited_email'])
      .where('c.alert_nano', 'is not', null)
      .where((eb) =>
        eb.or([eb('c.ends_at', 'is', null), eb('c.ends_at', '>', nowMs - reportedAfterMs)]),
      )
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('budget_crossing as x')
            .select('x.seq')
            .whereRef('x.counter_id', '=', 'c.id')
            .whereRef('x.alert_nano', '=', 'c.alert_nano'),
        ),
      )
    if (accountId !== null) budgets = budgets.where('c.account_id', '=', accountId)
    const rows = await budgets.orderBy('c.id').limit(crossingsMax).execute()
    return rows.map((row) => ({
      subject: row.owner_id,
      name: row.id,
      accountId: row.account_id,
      values: {
        owner: row.key_name ?? row.invited_email ?? row.email ?? row.account_name,
        account: row.account_name,
        resets: row.ends_at === null ? '–' : new Date(row.ends_at).toISOString(),
      },
      amounts: { spent: row.spent_nano, limit: row.limit_nano },
    }))
  },
}
