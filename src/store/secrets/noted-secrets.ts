import { sql } from 'kysely'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import { putFact, removeFact } from '../changes/facts.ts'
import type { Engine } from '../engine.ts'
import { aliveMs, databaseNow } from '../rows/database-now.ts'

/* Secrets of files and programs that running replicas could not read, for "tollgate doctor". No values. */

const factName = 'failing-secrets:'

/** A secret whose former value a replica uses, because it could not read it again. */
export interface FailingSecret {
  /** The reference, without the arguments of a program. */
  readonly name: string
  readonly sinceMs: number
  readonly why: string
}

export async function noteFailing(
  { backgroundDb }: Pick<Engine, 'backgroundDb'>,
  replica: string,
  failing: readonly FailingSecret[],
): Promise<void> {
  const name = factName + replica
  if (failing.length === 0) await removeFact(backgroundDb, name)
  else await putFact(backgroundDb, name, JSON.stringify(failing))
}

export async function readFailing(
  engine: Engine,
): Promise<(FailingSecret & { readonly replica: string })[]> {
  const { rows } = await sql<{ id: string; value: string }>`
    SELECT replica.id, fact.value FROM replica JOIN fact ON fact.name = ${factName} || replica.id
    WHERE replica.seen_at > ${databaseNow(engine)} - ${sql.lit(aliveMs)}
    ORDER BY replica.id`.execute(engine.db)
  return rows.flatMap(({ id: replica, value }) => {
    const notes = parseJson(value)
    if (!Array.isArray(notes)) return []
    return notes.filter(isObject).map((note) => ({
      replica,
      name: stringAt(note, 'name') ?? '',
      sinceMs: Number(note['sinceMs']),
      why: stringAt(note, 'why') ?? '',
    }))
  })
}
