import type { Transaction } from 'kysely'
import { announceChange, type ChangeTopic, takeTurn } from './changes.ts'
import { type Engine, isWorthRetrying } from './engine.ts'
import type { Tables } from './tables.ts'

const triesMax = 5

export interface Writing {
  readonly tx: Transaction<Tables>
  /** Tells every process, once this transaction is committed, that `subject` is no longer what it was. */
  announce(topic: ChangeTopic, subject: string): void
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
  const result = await engine.db.transaction().execute(async (tx) => {
    await takeTurn(tx, engine.kind)
    const value = await work({
      tx,
      announce: (topic, subject) => announcements.push({ topic, subject }),
    })
    for (const each of announcements) await announceChange(tx, { ...each, at: nowMs })
    return value
  })
  // What is committed has happened: that others hear of it a poll later is no reason to call it a failure.
  if (announcements.length > 0) await engine.notify().catch(() => undefined)
  return result
}
