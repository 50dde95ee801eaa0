import type { Engine } from '../../store/engine.ts'

/** The database has one self-audit, whichever process runs it. The name is stored, so it never changes. */
export const auditName = 'books'

export interface AuditState {
  /** `audit_point` includes the entries with an id up to this one. */
  readonly through: string
  readonly afterAccount: string
  readonly afterKey: string
}

/** Takes the next turn of the audit; undefined when another process has taken one since `dueMs`. */
export async function takeAuditTurn(
  { db }: Engine,
  nowMs: number,
  dueMs: number,
): Promise<AuditState | undefined> {
  await db
    .insertInto('audit_state')
    .values({ name: auditName, at: 0, through: '', after_account: '', after_key: '' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .updateTable('audit_state')
    .set({ at: nowMs })
    .where('name', '=', auditName)
    .where('at', '<=', dueMs)
    .returning(['through', 'after_account', 'after_key'])
    .executeTakeFirst()
  return row && { through: row.through, afterAccount: row.after_account, afterKey: row.after_key }
}

/** Time of the last turn; undefined before the first. */
export async function lastAuditAtMs({ db }: Engine): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_state')
    .select('at')
    .where('name', '=', auditName)
    .executeTakeFirst()
  return row?.at
}

/** Moves on to the next page of accounts and keys; after the last page the first one follows. */
export async function advancePage(
  { db }: Engine,
  { afterAccount, afterKey }: AuditState,
  rows: number,
): Promise<void> {
  const account = await db
    .selectFrom('account')
    .select('id')
    .where('id', '>', afterAccount)
    .orderBy('id')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  const key = await db
    .selectFrom('api_key')
    .select('id')
    .where('id', '>', afterKey)
    .orderBy('id')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  await db
    .updateTable('audit_state')
    .set({ after_account: account?.id ?? '', after_key: key?.id ?? '' })
    .where('name', '=', auditName)
    .execute()
}
