import type { Transaction } from 'kysely'
import { newId, type RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import type { Tables } from '../store/tables/tables.ts'

type Db = Engine['db']

/** The data of an authenticator about a new passkey. Bytes are base64url. */
export interface VerifiedPasskey {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
}

export interface PasskeyListing {
  readonly id: string
  readonly name: string
  /** The host name that the passkey is bound to. */
  readonly rpId: string
  readonly credentialId: string
  readonly transports: readonly string[]
  readonly createdAtMs: number
  readonly usedAtMs: number | null
}

/** The passkeys of a user, oldest first. */
export async function listPasskeys(db: Db, userId: string): Promise<PasskeyListing[]> {
  const rows = await db
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    rpId: row.rp_id,
    credentialId: row.credential_id,
    transports: readJsonList(row.transports),
    createdAtMs: row.created_at,
    usedAtMs: row.used_at,
  }))
}

export async function hasPasskeyAt(db: Db, userId: string, rpId: string): Promise<boolean> {
  const row = await db
    .selectFrom('passkey')
    .select('id')
    .where('user_id', '=', userId)
    .where('rp_id', '=', rpId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function isCredentialKnown(db: Db, credentialId: string): Promise<boolean> {
  const row = await db
    .selectFrom('passkey')
    .select('id')
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return row !== undefined
}

export async function addPasskey(
  tx: Transaction<Tables>,
  { random, nowMs }: { readonly random: RandomBytes; readonly nowMs: number },
  passkey: VerifiedPasskey & {
    readonly userId: string
    readonly name: string
    readonly rpId: string
    readonly transports: readonly string[]
  },
): Promise<string> {
  const id = newId('passkey', random)
  await tx
    .insertInto('passkey')
    .values({
      id,
      user_id: passkey.userId,
      name: passkey.name,
      rp_id: passkey.rpId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      created_at: nowMs,
    })
    .execute()
  return id
}

/** A passkey with its user, as a sign-in needs them. */
export interface StoredPasskey {
  readonly id: string
  readonly name: string
  readonly userId: string
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  /** The email address, also of an invited user. */
  readonly email: string
  readonly invitedTo: string | undefined
  readonly isSuspended: boolean
}

export async function findPasskey(
  db: Db,
  { credentialId, rpId }: { readonly credentialId: string; readonly rpId: string },
): Promise<StoredPasskey | undefined> {
  const row = await db
    .selectFrom('passkey as p')
    .innerJoin('console_user as u', 'u.id', 'p.user_id')
    .select(['p.id', 'p.name', 'p.user_id', 'p.credential_id', 'p.public_key', 'p.counter'])
    .select(['u.email', 'u.invited_email', 'u.invited_to', 'u.suspended'])
    .where('p.credential_id', '=', credentialId)
    .where('p.rp_id', '=', rpId)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      name: row.name,
      userId: row.user_id,
      credentialId: row.credential_id,
      publicKey: row.public_key,
      counter: row.counter,
      email: row.invited_email ?? row.email,
      invitedTo: row.invited_to ?? undefined,
      isSuspended: row.suspended !== 0,
    }
  )
}

/**
 * Records a use. False if the passkey was removed or used, or its user was suspended, since it was read: then the use
 * does not count.
 */
export async function notePasskeyUse(
  db: Db,
  { id, counter }: Pick<StoredPasskey, 'id' | 'counter'>,
  { newCounter, nowMs }: { readonly newCounter: number; readonly nowMs: number },
): Promise<boolean> {
  const noted = await db
    .updateTable('passkey')
    .set({ counter: newCounter, used_at: nowMs })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .where('user_id', 'in', db.selectFrom('console_user').select('id').where('suspended', '=', 0))
    .executeTakeFirst()
  return noted.numUpdatedRows > 0n
}

export async function renamePasskey(
  tx: Transaction<Tables>,
  id: string,
  name: string,
): Promise<void> {
  await tx.updateTable('passkey').set({ name }).where('id', '=', id).execute()
}

export async function removePasskey(tx: Transaction<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('passkey').where('id', '=', id).execute()
}

/** Removes all passkeys of a user and returns how many there were. */
export async function removePasskeysOf(tx: Transaction<Tables>, userId: string): Promise<number> {
  const removed = await tx.deleteFrom('passkey').where('user_id', '=', userId).executeTakeFirst()
  return Number(removed.numDeletedRows)
}
