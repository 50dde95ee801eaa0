import { type AlertSource, crossingsMax, isInUse } from '../alert-source.ts'

const dayMs = 24 * 60 * 60_000

/**
 * A key that works expires soon. A key that has expired is not reported any more. The day of the expiry is part of the
 * name: a key that is moved to another day is reported again, one that a program extends every hour once a day.
 */
export const keyExpiring: AlertSource = {
  kind: 'key_expiring',
  // A former version names the condition after the key alone.
  storedAs: ['key_expiring_on'],
  find: async (db, { accountId, keyExpiryDays }, nowMs) => {
    let keys = db
      .selectFrom('api_key as k')
      .innerJoin('account as a', 'a.id', 'k.account_id')
      .select(['k.id', 'k.name', 'k.expires_at', 'a.id as account_id', 'a.name as account_name'])
      .where('k.deleted_at', 'is', null)
      .where('k.enabled', '=', 1)
      .where('k.stopped', '=', 0)
      .where(isInUse(nowMs))
      .where('k.expires_at', '>', nowMs)
      .where('k.expires_at', '<=', nowMs + keyExpiryDays * dayMs)
    if (accountId !== null) keys = keys.where('k.account_id', '=', accountId)
    const rows = await keys.orderBy('k.expires_at').orderBy('k.id').limit(crossingsMax).execute()
    return rows.map((row) => {
      const expires = row.expires_at ?? 0
      return {
        subject: row.id,
        name: `${row.id} ${new Date(expires).toISOString().slice(0, 10)}`,
        accountId: row.account_id,
        values: { key: row.name, account: row.account_name },
        times: { expires },
      }
    })
  },
}
