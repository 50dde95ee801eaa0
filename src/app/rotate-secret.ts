import { sql } from 'kysely'
import { announceChanges, takeTurn } from '../store/changes.ts'
import { databaseNow } from '../store/database-now.ts'
import type { Engine } from '../store/engine.ts'
import { keyIdCharacters, onlyCurrentKey, secretIdOf, withNewKey } from '../store/keyring.ts'
import { type OpenVault, openVault, putRing, replicasWithout } from '../store/open-vault.ts'
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
export async function rotateSecret(rotation: Rotation): Promise<Rotated | 'unknown'> {
  const { engine, secrets } = rotation
  const vault = await openVault(engine.db, secrets)
  if (!vault) return 'unknown'
  await begin(rotation, vault)
  let resealed = 0
  for (const each of sealedColumns) resealed += await resealColumn(rotation, vault, each)
  const id = secretIdOf(Buffer.from(secrets[0]))
  const { rows } = await sql<{ now: number }>`SELECT ${databaseNow(engine)} AS now`.execute(
    engine.db,
  )
  const waitingFor = await replicasWithout(engine.db, id, Number(rows[0]?.now ?? 0) - aliveMs)
  if (waitingFor.length === 0) await complete(rotation, vault)
  return { resealed, waitingFor }
}

/** Adds a new key, readable with both secrets, unless an earlier call has done so. */
async function begin(rotation: Rotation, vault: OpenVault): Promise<void> {
  if (vault.secretIndex === 0 && vault.ring.currentId !== '') return
  await changeRing(rotation, vault, (ring) => withNewKey(ring), rotation.secrets)
  await rotation.untilNoticed()
}

/** No running process has the former secret or writes with a former key. */
async function complete(rotation: Rotation, vault: OpenVault): Promise<void> {
  if (vault.ring.sealKeys.size === 1) return
  await changeRing(rotation, vault, onlyCurrentKey, [rotation.secrets[0]])
}

async function changeRing(
  { engine, nowMs }: Rotation,
  vault: OpenVault,
  change: typeof withNewKey,
  secrets: readonly string[],
): Promise<void> {
  const ring = change(vault.ring)
  await engine.db.transaction().execute(async (tx) => {
    await takeTurn(tx, engine.kind)
    await putRing(tx, ring, secrets)
    await announceChanges(tx, [{ topic: 'secret', subject: 'keyring', at: nowMs() }])
  })
  await engine.notify().catch(() => undefined)
  await vault.reload()
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
