import { sql } from 'kysely'
import { addFact, putFact, readFacts } from '../changes/facts.ts'
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
  let isValid = true
  const sealingRing = (): Keyring => {
    if (isValid) return ring
    throw new Error('the secret of this process was replaced; restart it with the present secret')
  }
  return {
    ...vaultOf(() => ring, sealingRing),
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
      // If no secret fits any more, values that were sealed before can still be read. What this process would seal now,
      // perhaps with a key that was removed, nobody could read.
      const now = await findState(db, secrets)
      isValid = now !== undefined
      if (now) ({ ring, secretIndex } = now)
    },
  }
}

/**
 * One statement reads everything: between two reads a rotation could change the keys, and the first secret that fits
 * would not be the one that fits now.
 */
async function findState(
  db: Database,
  secrets: readonly string[],
): Promise<{ ring: Keyring; secretIndex: number } | undefined> {
  const bytes = secrets.map((text) => Buffer.from(text))
  const names = bytes.map((secret) => ringFact + secretIdOf(secret))
  const facts = await readFacts(db, [checkFact, ...names])
  const check = facts.get(checkFact)
  for (const [secretIndex, secret] of bytes.entries()) {
    const wrapped = facts.get(names[secretIndex] ?? '')
    if (wrapped !== undefined) return { ring: unwrapRing(wrapped, secret), secretIndex }
    const ring = derivedRing(secret)
    if (check === checkOf(ring)) return { ring, secretIndex }
  }
  const [first] = bytes
  if (check !== undefined || !first) return undefined
  const ring = derivedRing(first)
  if (await addFact(db, checkFact, checkOf(ring))) return { ring, secretIndex: 0 }
  // Another process was faster, perhaps with another secret.
  return findState(db, secrets)
}

function checkOf(ring: Keyring): string {
  return vaultOf(() => ring).lookupHash(probe)
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
