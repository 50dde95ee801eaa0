import { sql } from 'kysely'
import { databaseNow } from '../../store/database-now.ts'
import type { Engine } from '../../store/engine.ts'
import { putFact, removeFact } from '../../store/facts.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import type { SecretState } from './follow-secrets.ts'

/* What running replicas know about the secrets that they follow, for "tollgate doctor". No values. */

const factName = 'followed-secrets:'

/** A replica that was not seen for this long does not run. */
const aliveMs = 30_000

export async function noteSecrets(
  { patientDb }: Pick<Engine, 'patientDb'>,
  replica: string,
  states: readonly SecretState[],
): Promise<void> {
  await putFact(patientDb, factName + replica, JSON.stringify(states))
}

export async function forgetSecrets(
  { patientDb }: Pick<Engine, 'patientDb'>,
  replica: string,
): Promise<void> {
  await removeFact(patientDb, factName + replica)
}

export interface NotedSecret {
  readonly replica: string
  readonly name: string
  readonly changedAtMs: number | undefined
  readonly failure: SecretState['failure']
}

export async function readNotedSecrets(engine: Engine): Promise<NotedSecret[]> {
  const { rows } = await sql<{ id: string; value: string }>`
    SELECT replica.id, fact.value FROM replica JOIN fact ON fact.name = ${factName} || replica.id
    WHERE replica.seen_at > ${databaseNow(engine)} - ${sql.lit(aliveMs)}
    ORDER BY replica.id`.execute(engine.db)
  return rows.flatMap(({ id, value }) => {
    const states = parseJson(value)
    return Array.isArray(states) ? states.filter(isObject).map((each) => readNote(id, each)) : []
  })
}

function readNote(replica: string, note: Readonly<Record<string, unknown>>): NotedSecret {
  const { changedAtMs, failure } = note
  const name = stringAt(note, 'name') ?? ''
  const why = isObject(failure) ? stringAt(failure, 'why') : undefined
  const sinceMs = isObject(failure) ? Number(failure['sinceMs']) : Number.NaN
  return {
    replica,
    name,
    changedAtMs: typeof changedAtMs === 'number' ? changedAtMs : undefined,
    failure: why === undefined ? undefined : { sinceMs, why },
  }
}
