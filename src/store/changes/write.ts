import type { Insertable, Transaction } from 'kysely'
import { type Engine, isWorthRetrying } from '../engine.ts'
import { insertAll } from '../rows/in-slices.ts'
import type { AuditTable, Tables } from '../tables/tables.ts'
import { announceChanges, type ChangeTopic, takeTurn } from './changes.ts'
import { inTurn } from './in-turn.ts'

const triesMax = 5

export type NewAuditRow = Insertable<AuditTable>

export interface Writing {
  readonly tx: Transaction<Tables>
  readonly nowMs: number
  /** Tells every process, after the commit, that `subject` has changed. */
  announce(topic: ChangeTopic, subject: string): void
  /** Rows for the audit log, written together before the transaction ends. */
  readonly audits: NewAuditRow[]
}

/** Runs one management transaction, announces its changes and notifies; repeats it after a transient failure. */
export async function write<T>(
  engine: Engine,
  nowMs: number,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await inTurn(engine.db, () => writeOnce(engine, nowMs, work))
    } catch (error) {
      if (!isWorthRetrying(error) || tryNumber >= triesMax) throw error
    }
  }
}

async function writeOnce<T>(
  engine: Engine,
  nowMs: number,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  const announcements: { topic: ChangeTopic; subject: string }[] = []
  let isCatalogAnnounced = false
  const announce: Writing['announce'] = (topic, subject) => {
    // A follower of the catalogue reads all of it, so one announcement is enough, however many rows change.
    if (topic === 'catalog' && isCatalogAnnounced) return
    if (topic === 'catalog') isCatalogAnnounced = true
    announcements.push({ topic, subject })
  }
  const audits: NewAuditRow[] = []
  const result = await engine.db.transaction().execute(async (tx) => {
    await takeTurn(tx, engine.kind)
    const value = await work({ tx, nowMs, announce, audits })
    await insertAll(audits, (rows) => tx.insertInto('audit').values(rows).execute())
    await announceChanges(
      tx,
      announcements.map((each) => ({ ...each, at: nowMs })),
    )
    return value
  })
  // The change is committed. If the notification fails, others see it with the next poll, so this is not a failure.
  if (announcements.length > 0) await engine.notify().catch(() => undefined)
  return result
}
