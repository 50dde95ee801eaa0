import { sql } from 'kysely'
import { announceChanges, takeTurn } from '../../store/changes/changes.ts'
import type { Engine } from '../../store/engine.ts'
import { databaseNow } from '../../store/rows/database-now.ts'
import {
  keyIdCharacters,
  onlyCurrentKey,
  secretIdOf,
  withNewKey,
} from '../../store/secrets/keyring.ts'
import {
  type OpenVault,
  openVault,
  putRing,
  replicasWithout,
} from '../../store/secrets/open-vault.ts'
import { sealedColumns } from './sealed-columns.ts'

/** Rows that are read at once. A stored response may have many megabytes. */
const rowsAtOnce = 20

/** A replica that was not seen for this long does not run. */
const aliveMs = 600_000

export interface Rotation {
  readonly engine: Engine
  /** The new secret, then the former one. */
  readonly secrets: readonly [string, string]
  readonly nowMs: () => number
  /** Running replicas need a moment to read the new keys before anything is sealed with them. */
  readonly untilNoticed: () => Promise<void>
  readonly progress: (column: string, values: number) => void
}

export interface Rotated {
  /** Values that were sealed again now. */
  readonly resealed: number
  /** Replicas that still need the former secret; none when the rotation is complete. */
  readonly waitingFor: readonly string[]
}

/**
 * Replaces the secret of a database while gateways use it. Each step can be interrupted and repeated. A call that finds
 * everything sealed with the new keys, and no replica with the former secret, makes the former secret useless.
 */
export async function rotateSecret(rotation: Rotation): Promise<Rotated | 'unknown' | 'overtaken'> {
  const { engine, secrets } = rotation
  const vault = await openVault(engine.db, secrets)
  if (!vault) return 'unknown'
  if (!(await begin(rotation, vault))) return 'overtaken'
  let resealed = 0
  for (const each of sealedColumns) resealed += await resealColumn(rotation, vault, each)
  const id = secretIdOf(Buffer.from(secrets[0]))
  const { rows } = await sql<{ now: number }>`SELECT ${databaseNow(engine)} AS now`.execute(
    engine.db,
  )
  const waitingFor = await replicasWithout(engine.db, id, Number(rows[0]?.now ?? 0) - aliveMs)
  const isOvertaken = waitingFor.length === 0 && !(await complete(rotation, vault))
  return isOvertaken ? 'overtaken' : { resealed, waitingFor }
}

/** Adds a new key, readable with both secrets, unless another call has done so. */
async function begin(rotation: Rotation, vault: OpenVault): Promise<boolean> {
  if (vault.secretIndex === 0 && vault.ring.currentId !== '') return true
  await changeRing(rotation, vault, withNewKey, rotation.secrets)
  await rotation.untilNoticed()
  await vault.reload()
  // Another call may have begun with another new secret.
  return vault.secretIndex === 0
}

/** No running process has the former secret or writes with a former key. */
async function complete(rotation: Rotation, vault: OpenVault): Promise<boolean> {
  if (vault.ring.sealKeys.size === 1) return true
  return changeRing(rotation, vault, onlyCurrentKey, [rotation.secrets[0]])
}

/**
 * Changes the keys, unless another call has changed them since this one read them: that one may have sealed values with
 * a key that this one does not know. Returns whether it did.
 */
async function changeRing(
  { engine, secrets, nowMs }: Rotation,
  vault: OpenVault,
  change: typeof withNewKey,
  validSecrets: readonly string[],
): Promise<boolean> {
  const isChanged = await engine.db.transaction().execute(async (tx) => {
    await takeTurn(tx, engine.kind)
    const present = await openVault(tx, secrets)
    if (present?.ring.currentId !== vault.ring.currentId) return false
    await putRing(tx, change(present.ring), validSecrets)
    await announceChanges(tx, [{ topic: 'secret', subject: 'keyring', at: nowMs() }])
    return true
  })
  if (isChanged) await engine.notify().catch(() => undefined)
  await vault.reload()
  return isChanged
}

async function resealColumn(
  { engine: { db }, progress }: Rotation,
  vault: OpenVault,
  { table, id, column, purpose }: (typeof sealedColumns)[number],
): Promise<number> {
  const [from, key, value] = [sql.table(table), sql.ref(id), sql.ref(column)]
  const current = `${vault.ring.currentId}.`
  let count = 0
  for (;;) {
    const { rows } = await sql<{ id: string; sealed: string }>`
      SELECT ${key} AS id, ${value} AS sealed FROM ${from}
      WHERE ${value} IS NOT NULL AND SUBSTR(${value}, 1, ${sql.lit(keyIdCharacters + 1)}) <> ${current}
      LIMIT ${sql.lit(rowsAtOnce)}`.execute(db)
    if (rows.length === 0) return count
    for (const row of rows) {
      const sealed = vault.reseal(row.sealed, purpose)
      // A value that was changed meanwhile is not overwritten; the next round checks it again.
      await sql`UPDATE ${from} SET ${value} = ${sealed} WHERE ${key} = ${row.id} AND ${value} = ${row.sealed}`.execute(
        db,
      )
    }
    count += rows.length
    progress(`${table}.${column}`, count)
  }
}
