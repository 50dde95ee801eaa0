import { sql, type Transaction } from 'kysely'
import type { Engine } from '../engine.ts'
import { aliveMs, databaseNow } from '../rows/database-now.ts'
import type { Tables } from '../tables/tables.ts'
import { BackupProblem } from './backup-problem.ts'

/** A database with rows is replaced only on request, and never under a running gateway. */
export async function checkReplaceable(
  tx: Transaction<Tables>,
  engine: Engine,
  mayReplace: boolean,
  { tables, knowsLives }: { readonly tables: readonly string[]; readonly knowsLives: boolean },
): Promise<void> {
  const any = tables.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')
  if (any === '') return
  const { rows } = await sql.raw<{ filled: unknown }>(`SELECT (${any}) AS filled`).execute(tx)
  const isFilled = Boolean(rows[0]?.filled)
  if (isFilled && !mayReplace) {
    throw new BackupProblem(
      'The database is not empty; name an empty one with --database, or add --replace to delete everything in it.',
    )
  }
  // In an older database nothing tells a running process from one that has ended.
  if (!knowsLives) return
  const alive = await tx
    .selectFrom('replica')
    .select('id')
    .whereRef('epoch', '=', 'lived_epoch')
    // A clean stop settles its epoch.
    .where(sql<boolean>`COALESCE(settled_epoch, -1) < lived_epoch`)
    .where('seen_at', '>', sql<number>`${databaseNow(engine)} - ${sql.lit(aliveMs)}`)
    .executeTakeFirst()
  if (alive) {
    throw new BackupProblem(
      `Replica "${alive.id}" is running, or ended less than ${aliveMs / 1_000} s ago without a clean stop; stop every replica, then repeat the command.`,
    )
  }
}
