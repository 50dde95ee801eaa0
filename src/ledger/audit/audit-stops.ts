import type { Kysely } from 'kysely'
import type { Writing } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import type { AuditStopTable } from '../../store/tables/audit-tables.ts'
import type { Tables } from '../../store/tables/tables.ts'
import {
  findingLine,
  type LedgerFinding,
  type StoredFinding,
  sortFindings,
} from './finding-line.ts'

/** An account whose balances do not add up, with the findings. */
export interface AuditStop {
  readonly accountId: string
  readonly foundAtMs: number
  readonly findings: readonly StoredFinding[]
  readonly isReleased: boolean
}

/** Thrown when a stopped account requests a lease. */
class AccountStopped extends Error {
  override readonly name = 'AccountStopped'

  constructor(accountId: string) {
    super(
      `the ledger of account ${accountId} does not balance; see "tollgate audit", then "tollgate audit --release ${accountId}"`,
    )
  }
}

/** Throws when an audit stop blocks leases of the account. */
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
  const found = await readFindings(db)
  return rows.map((row) => ({
    accountId: row.account_id,
    foundAtMs: row.found_at,
    findings: found.get(row.account_id) ?? textFindings(row),
    isReleased: row.released_at !== null,
  }))
}

async function readFindings(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<string, readonly LedgerFinding[]>> {
  const rows = await db.selectFrom('audit_finding').selectAll().execute()
  const found = Map.groupBy(rows, (row) => row.account_id)
  return new Map(
    [...found].map(([accountId, each]) => [
      accountId,
      sortFindings(
        each.map(({ kind, subject, difference_nano }) => ({
          kind,
          id: subject,
          differenceNano: difference_nano,
        })),
      ),
    ]),
  )
}

/** Findings of a replica of an earlier version. */
function textFindings({ findings }: AuditStopTable): StoredFinding[] {
  return findings.split('\n').map((line) => ({ kind: null, line }))
}

function textOf(findings: readonly LedgerFinding[]): string {
  return findings.map(findingLine).join('\n')
}

function isSame(findings: readonly LedgerFinding[], others: readonly LedgerFinding[]): boolean {
  return (
    findings.length === others.length &&
    findings.every(({ kind, id, differenceNano }, index) => {
      const other = others[index]
      return other?.kind === kind && other.id === id && other.differenceNano === differenceNano
    })
  )
}

/**
 * Stops the accounts with findings, and clears the stops of accounts without any. A stop that an operator has released
 * stays released unless something new is found.
 */
export async function putStops(
  engine: Engine,
  found: ReadonlyMap<string, readonly LedgerFinding[]>,
  isUndecided: (accountId: string) => boolean,
  nowMs: number,
): Promise<{ readonly cleared: readonly string[] }> {
  return engine.db.transaction().execute(async (tx) => {
    const known = new Map(
      (await tx.selectFrom('audit_stop').selectAll().execute()).map((row) => [row.account_id, row]),
    )
    const kept = await readFindings(tx)
    for (const [accountId, findings] of found) {
      const before = kept.get(accountId)
      if (before && isSame(before, findings)) continue
      const stop = { account_id: accountId, found_at: nowMs, findings: textOf(findings) }
      // A finding that a replica of an earlier version has stored is not new.
      if (known.get(accountId)?.findings !== stop.findings) await putStop(tx, stop)
      await putFindings(tx, accountId, findings)
    }
    const cleared = [...known.keys()].filter((id) => !found.has(id) && !isUndecided(id))
    if (cleared.length > 0) {
      await tx.deleteFrom('audit_stop').where('account_id', 'in', cleared).execute()
    }
    return { cleared }
  })
}

async function putStop(
  tx: Kysely<Tables>,
  stop: Omit<AuditStopTable, 'released_at'>,
): Promise<void> {
  await tx
    .insertInto('audit_stop')
    .values({ ...stop, released_at: null })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ findings: stop.findings, released_at: null }),
    )
    .execute()
}

async function putFindings(
  tx: Kysely<Tables>,
  accountId: string,
  findings: readonly LedgerFinding[],
): Promise<void> {
  await tx.deleteFrom('audit_finding').where('account_id', '=', accountId).execute()
  for (const { kind, id, differenceNano } of findings) {
    const row = { account_id: accountId, kind, subject: id, difference_nano: differenceNano }
    await tx.insertInto('audit_finding').values(row).execute()
  }
}

/** Allows leases for the account again despite its findings; false when the account was not stopped. */
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
