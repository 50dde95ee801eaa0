import type { Insertable, Transaction } from 'kysely'
import { announceChanges, type ChangeTopic, takeTurn } from './changes.ts'
import { type Engine, isWorthRetrying } from './engine.ts'
import { insertAll } from './insert-all.ts'
import type { AuditTable, Tables } from './tables.ts'

const triesMax = 5

export type NewAuditRow = Insertable<AuditTable>

export interface Writing {
  readonly tx: Transaction<Tables>
  /** Tells every process, once this transaction is committed, that `subject` is no longer what it was. */
  announce(topic: ChangeTopic, subject: string): void
  /** Rows for the audit, which are written together before the transaction ends. */
  readonly audits: NewAuditRow[]
}

/** One management transaction: written, announced and notified; repeated when the database says "try again". */
export async function write<T>(
  engine: Engine,
  nowMs: number,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await writeOnce(engine, nowMs, work)
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
    // Whoever follows the catalogue reads all of it: once is enough, however many of its rows change.
    if (topic === 'catalog' && isCatalogAnnounced) return
    if (topic === 'catalog') isCatalogAnnounced = true
    announcements.push({ topic, subject })
  }
  const audits: NewAuditRow[] = []
  const result = await engine.db.transaction().execute(async (tx) => {
    await takeTurn(tx, engine.kind)
    const value = await work({ tx, announce, audits })
    await insertAll(audits, (rows) => tx.insertInto('audit').values(rows).execute())
    await announceChanges(
      tx,
      announcements.map((each) => ({ ...each, at: nowMs })),
    )
    return value
  })
  // What is committed has happened: that others hear of it a poll later is no reason to call it a failure.
  if (announcements.length > 0) await engine.notify().catch(() => undefined)
  return result
}
