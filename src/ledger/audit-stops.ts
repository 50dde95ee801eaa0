import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'

/** An account whose books do not balance, and what is wrong with them, one line each. */
export interface AuditStop {
  readonly accountId: string
  readonly foundAtMs: number
  readonly findings: readonly string[]
  readonly isReleased: boolean
}

/** Said to whoever wants a lease of an account that gets none. */
class AccountStopped extends Error {
  override readonly name = 'AccountStopped'

  constructor(accountId: string) {
    super(
      `the books of account ${accountId} do not balance; see "tollgate audit", then "tollgate audit --release ${accountId}"`,
    )
  }
}

/** Throws when the account gets no leases. */
export async function refuseStopped({ db }: Engine, accountId: string): Promise<void> {
  const row = await db
    .selectFrom('audit_stop')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('released_at', 'is', null)
    .executeTakeFirst()
  if (row) throw new AccountStopped(accountId)
}

export async function listStops({ db }: Engine): Promise<AuditStop[]> {
  const rows = await db.selectFrom('audit_stop').selectAll().orderBy('account_id').execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    foundAtMs: row.found_at,
    findings: row.findings.split('\n'),
    isReleased: row.released_at !== null,
  }))
}

/**
 * Stops the accounts that have findings and lets go of those that have none any more. One that a person has
 * released stays so, unless something new is found.
 */
export async function putStops(
  engine: Engine,
  found: ReadonlyMap<string, readonly string[]>,
  isUndecided: (accountId: string) => boolean,
  nowMs: number,
): Promise<{ readonly cleared: readonly string[] }> {
  return engine.db.transaction().execute(async (tx) => {
    const known = new Map(
      (await tx.selectFrom('audit_stop').selectAll().execute()).map((row) => [row.account_id, row]),
    )
    for (const [accountId, lines] of found) {
      const findings = lines.join('\n')
      const row = known.get(accountId)
      if (row?.findings === findings) continue
      const stop = { account_id: accountId, found_at: nowMs, findings, released_at: null }
      await tx
        .insertInto('audit_stop')
        .values(stop)
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet({ findings, released_at: null }),
        )
        .execute()
    }
    const cleared = [...known.keys()].filter((id) => !found.has(id) && !isUndecided(id))
    if (cleared.length > 0) {
      await tx.deleteFrom('audit_stop').where('account_id', 'in', cleared).execute()
    }
    return { cleared }
  })
}

/** Lets an account have leases again, whatever is wrong; false when it was not stopped. */
export async function releaseStop(
  { tx }: Writing,
  accountId: string,
  nowMs: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('audit_stop')
    .set({ released_at: nowMs })
    .where('account_id', '=', accountId)
    .where('released_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
