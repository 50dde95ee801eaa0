import { sql } from 'kysely'
import type { Engine } from '../../store/engine.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'clock'
const warnMs = 10_000
const failMs = 300_000

/** Compares this machine's clock with another. `otherMs` is in milliseconds since 1970. */
export function compareClocks(nowMs: number, otherMs: number, other: string): DoctorFinding {
  const aheadMs = nowMs - otherMs
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const text = `this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`
  if (Math.abs(aheadMs) > failMs)
    return fail(topic, `${text}; set the clock (run a time service such as chrony)`)
  if (Math.abs(aheadMs) > warnMs) return warn(topic, `${text}; run a time service such as chrony`)
  return ok(topic, `agrees with ${other}`)
}

export async function checkDatabaseClock(
  engine: Engine,
  nowMs: () => number,
): Promise<DoctorFinding[]> {
  if (engine.kind !== 'postgres') return []
  const result = await sql<{ now_ms: number }>`
    SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms`.execute(
    engine.db,
  )
  const [row] = result.rows
  return row ? [compareClocks(nowMs(), Number(row.now_ms), 'the database server')] : []
}
