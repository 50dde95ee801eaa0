import { lastBackupAtMs } from '../../store/backup/last-backup.ts'
import type { Engine } from '../../store/engine.ts'
import { ageText } from './age-text.ts'
import { type DoctorFinding, ok, warn } from './finding.ts'

const topic = 'backup'
const oldMs = 7 * 24 * 60 * 60_000

/** Knows only of "tollgate backup": the database does not see copies that other tools make. */
export async function checkBackup(
  database: { readonly engine: Engine } | undefined,
  nowMs: number,
): Promise<DoctorFinding[]> {
  if (!database) return []
  const { db } = database.engine
  const atMs = await lastBackupAtMs(db)
  if (atMs === undefined) {
    const entry = await db.selectFrom('entry').select('request_id').limit(1).executeTakeFirst()
    return entry
      ? [warn(topic, 'none was made with "tollgate backup"; make one, unless another tool does')]
      : []
  }
  return [judgeAge(nowMs - atMs)]
}

export function judgeAge(ageMs: number): DoctorFinding {
  const text = `the last "tollgate backup" is ${ageText(ageMs)} old`
  return ageMs > oldMs ? warn(topic, `${text}; make a new one`) : ok(topic, text)
}
