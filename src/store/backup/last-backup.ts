import { putFact, readFact } from '../changes/facts.ts'
import type { Engine } from '../engine.ts'

const fact = 'last-backup'

/** Records that a backup file of this database is complete. */
export async function noteBackup(db: Engine['db'], atMs: number): Promise<void> {
  await putFact(db, fact, String(atMs))
}

export async function lastBackupAtMs(db: Engine['db']): Promise<number | undefined> {
  const value = await readFact(db, fact)
  return value === undefined ? undefined : Number(value)
}
