import { sql } from 'kysely'
import { type Writing, write } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import { readDatabaseMs } from '../../store/rows/database-now.ts'
import {
  type Keyring,
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
import { type Resealed, resealValue, type SealedColumn } from '../../store/secrets/reseal-value.ts'
import { sealedColumns } from './sealed-columns.ts'

/** Rows that are found at once. */
const rowsAtOnce = 20

/** How often all columns are looked through. The second time there is usually nothing left to seal again. */
const passesMax = 10

/** Values that no key opens, as many as are named. */
const unreadableMax = 20

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
  /** Values that neither secret opens, such as `alert.url_sealed of a1`. The rotation cannot end before they are gone. */
  readonly unreadable: readonly string[]
}

/**
 * Replaces the secret of a database while gateways use it. Each step can be interrupted and repeated, and calls at the
 * same time share the work. A call that finds everything sealed with the new key, and no replica with the former
 * secret, makes the former secret useless.
 */
export async function rotateSecret(rotation: Rotation): Promise<Rotated | 'unknown' | 'overtaken'> {
  const ring = await begin(rotation)
  if (!ring) return 'unknown'
  // Also for the key of another call: that call may have been killed a moment ago.
  if (ring.sealKeys.size > 1) await rotation.untilNoticed()
  const { db } = rotation.engine
  let resealed = 0
  for (let passes = 1; passes <= passesMax; passes += 1) {
    const waitedFor = await replicasToRestart(rotation, db)
    const pass = await resealAll(rotation, ring.currentId)
    if (pass === 'overtaken') return 'overtaken'
    const { count, unreadable } = pass
    resealed += count
    // A replica that has the new key only since this pass began may have written with a former one after it.
    const isSettled = waitedFor.length === 0 && count === 0 && unreadable.length === 0
    const waitingFor = isSettled
      ? await complete(rotation, ring.currentId)
      : await replicasToRestart(rotation, db)
    if (waitingFor === 'overtaken') return 'overtaken'
    if (isSettled || waitingFor.length > 0 || unreadable.length > 0)
      return { resealed, waitingFor, unreadable }
  }
  throw new Error(
    'a process still seals values with a former key; stop it, then repeat the command',
  )
}

/** The keys, with a new one that both secrets open: that of another call if there is one. */
function begin(rotation: Rotation): Promise<Keyring | undefined> {
  return inTurn(rotation, async (vault, writing) => {
    if (!vault) return undefined
    if (vault.secretIndex === 0 && vault.ring.currentId !== '') return vault.ring
    return changeRing(writing, withNewKey(vault.ring), rotation.secrets)
  })
}

/** Removes the former secret and the former keys, unless replicas need them. Returns these replicas. */
function complete(rotation: Rotation, keyId: string): Promise<string[] | 'overtaken'> {
  return inTurn(rotation, async (vault, writing) => {
    if (!isCurrent(vault, keyId)) return 'overtaken'
    const waitingFor = await replicasToRestart(rotation, writing.tx)
    if (waitingFor.length === 0 && vault.ring.sealKeys.size > 1)
      await changeRing(writing, onlyCurrentKey(vault.ring), [rotation.secrets[0]])
    return waitingFor
  })
}

/** Nobody else changes the keys during the work, which gets them as they are now. */
function inTurn<Value>(
  { engine, secrets, nowMs }: Rotation,
  work: (vault: OpenVault | undefined, writing: Writing) => Promise<Value>,
): Promise<Value> {
  return write(engine, nowMs(), async (writing) =>
    work(await openVault(writing.tx, secrets), writing),
  )
}

/** False when another call has begun with another new secret. */
function isCurrent(vault: OpenVault | undefined, keyId: string): vault is OpenVault {
  return vault?.secretIndex === 0 && vault.ring.currentId === keyId
}

async function changeRing(
  { tx, announce }: Writing,
  ring: Keyring,
  validSecrets: readonly string[],
): Promise<Keyring> {
  await putRing(tx, ring, validSecrets)
  announce('secret', 'keyring')
  return ring
}

async function replicasToRestart(
  { engine, secrets }: Rotation,
  db: Engine['db'],
): Promise<string[]> {
  const nowMs = await readDatabaseMs({ clockSql: engine.clockSql, db })
  const id = secretIdOf(Buffer.from(secrets[0]))
  return replicasWithout(db, id, nowMs - aliveMs)
}

interface Pass {
  count: number
  readonly unreadable: string[]
}

async function resealAll(rotation: Rotation, keyId: string): Promise<Pass | 'overtaken'> {
  const pass: Pass = { count: 0, unreadable: [] }
  for (const each of sealedColumns)
    if ((await resealColumn(rotation, keyId, each, pass)) === 'overtaken') return 'overtaken'
  return pass
}

/** Looks at each row once, in the order of the ids. */
async function resealColumn(
  rotation: Rotation,
  keyId: string,
  each: SealedColumn,
  pass: Pass,
): Promise<'overtaken' | undefined> {
  const [from, key, value] = [sql.table(each.table), sql.ref(each.id), sql.ref(each.column)]
  const name = `${each.table}.${each.column}`
  let count = 0
  let after = sql`TRUE`
  for (;;) {
    const { rows } = await sql<{ id: string | number }>`
      SELECT ${key} AS id FROM ${from}
      WHERE ${value} IS NOT NULL AND SUBSTR(${value}, 1, ${sql.lit(keyIdCharacters + 1)}) <> ${`${keyId}.`}
        AND ${after}
      ORDER BY ${key} LIMIT ${sql.lit(rowsAtOnce)}`.execute(rotation.engine.db)
    const last = rows.at(-1)
    if (!last) break
    for (const { id } of rows) {
      const done = await resealRow(rotation, keyId, each, id)
      if (done === 'overtaken') return 'overtaken'
      if (done === 'resealed') count += 1
      if (done === 'unreadable' && pass.unreadable.length < unreadableMax)
        pass.unreadable.push(`${name} of ${id}`)
    }
    after = sql`${key} > ${last.id}`
    rotation.progress(name, count)
  }
  pass.count += count
  return undefined
}

/**
 * Takes a turn for each row. Otherwise a call that another one overtakes could seal the value with a key that the other
 * call removes. A longer turn would let requests wait for the rows.
 */
function resealRow(
  rotation: Rotation,
  keyId: string,
  each: SealedColumn,
  rowId: string | number,
): Promise<Resealed | 'overtaken'> {
  return inTurn(rotation, async (vault, { tx }) =>
    isCurrent(vault, keyId) ? resealValue(tx, vault, each, rowId) : 'overtaken',
  )
}
