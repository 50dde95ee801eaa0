import { sql } from 'kysely'
import { addFact, putFact, readFact } from '../changes/facts.ts'
import type { Engine } from '../engine.ts'
import { derivedRing, type Keyring, secretIdOf, unwrapRing, wrapRing } from './keyring.ts'
import { type Vault, vaultOf } from './vault.ts'

type Database = Engine['db']

const checkFact = 'secret-check'
const probe = 'tollgate'
/** The value of the check after a rotation: versions without keyrings then refuse the database. */
const hasRings = 'keyring'
const ringFact = 'keyring/'
const usedFact = 'secret-of/'

export interface OpenVault extends Vault {
  /** The secret that opened the database; its place in the list of secrets. */
  readonly secretIndex: number
  readonly secretId: string
  readonly ring: Keyring
  /** Reads the keys again, after a rotation has changed them. */
  reload(): Promise<void>
}

/**
 * The vault of a database, opened with the first secret that fits; undefined when none fits. A new database belongs to
 * the first secret. With a wrong one no key could be found and no credential decrypted.
 */
export async function openVault(
  db: Database,
  secrets: readonly string[],
): Promise<OpenVault | undefined> {
  const state = await findState(db, secrets)
  if (!state) return undefined
  let { ring, secretIndex } = state
  return {
    ...vaultOf(() => ring),
    get secretIndex() {
      return secretIndex
    },
    get secretId() {
      return secretIdOf(Buffer.from(secrets[secretIndex] ?? ''))
    },
    get ring() {
      return ring
    },
    reload: async () => {
      // If no secret fits any more, values that were sealed before can still be read.
      const now = await findState(db, secrets)
      if (now) ({ ring, secretIndex } = now)
    },
  }
}

async function findState(
  db: Database,
  secrets: readonly string[],
): Promise<{ ring: Keyring; secretIndex: number } | undefined> {
  for (const [secretIndex, text] of secrets.entries()) {
    const ring = await findRing(db, Buffer.from(text), secretIndex === 0)
    if (ring) return { ring, secretIndex }
  }
  return undefined
}

async function findRing(
  db: Database,
  secret: Uint8Array,
  mayBeNew: boolean,
): Promise<Keyring | undefined> {
  const wrapped = await readFact(db, ringFact + secretIdOf(secret))
  if (wrapped !== undefined) return unwrapRing(wrapped, secret)
  const ring = derivedRing(secret)
  const value = vaultOf(() => ring).lookupHash(probe)
  const known = await readFact(db, checkFact)
  if (known !== undefined) return known === value ? ring : undefined
  if (!mayBeNew) return undefined
  if (await addFact(db, checkFact, value)) return ring
  // Another process may have been faster, with another secret.
  return (await readFact(db, checkFact)) === value ? ring : undefined
}

/** Stores the keys for these secrets, and for no others. */
export async function putRing(
  db: Database,
  ring: Keyring,
  secrets: readonly string[],
): Promise<void> {
  await sql`DELETE FROM fact WHERE name LIKE ${`${ringFact}%`}`.execute(db)
  for (const text of secrets) {
    const secret = Buffer.from(text)
    await putFact(db, ringFact + secretIdOf(secret), wrapRing(ring, secret))
  }
  await putFact(db, checkFact, hasRings)
}

/** Records which secret a replica was started with. */
export async function noteSecret(db: Database, replica: string, secretId: string): Promise<void> {
  await putFact(db, usedFact + replica, secretId)
}

/** Replicas that may be running and were not started with this secret. */
export async function replicasWithout(
  db: Database,
  secretId: string,
  seenAfterMs: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT replica.id FROM replica LEFT JOIN fact ON fact.name = ${usedFact} || replica.id
    WHERE replica.epoch = replica.lived_epoch
      AND COALESCE(replica.settled_epoch, -1) < replica.lived_epoch AND replica.seen_at > ${seenAfterMs}
      AND (fact.value IS NULL OR fact.value <> ${secretId})
    ORDER BY replica.id`.execute(db)
  return rows.map(({ id }) => id)
}
