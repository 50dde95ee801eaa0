import { newId } from '../core/id.ts'
import { secretHint } from '../core/secret-hint.ts'
import type { UpstreamCredentialTable } from '../store/tables.ts'
import type { Writing } from '../store/write.ts'
import { type CatalogTools, credentialPurpose } from './catalog-store.ts'
import type { CredentialSettings, GivenCredential } from './definition/upstream.ts'
import { originOf } from './origin-of.ts'

/** Whose credential it is, and the address that it is entered for. */
export interface CredentialPlace {
  readonly id: string
  readonly baseUrl: string
}

/**
 * Makes an upstream's credentials exactly these; answers whether that changed anything. One without a value is the one
 * of its name that is there; where there is none, nothing can be made.
 */
export async function putCredentials(
  writing: Writing,
  tools: CatalogTools,
  place: CredentialPlace,
  credentials: readonly GivenCredential[],
): Promise<boolean> {
  const { tx } = writing
  const rows = await credentialsOf(writing, place.id)
  const names = new Set(credentials.map(({ name }) => name))
  const gone = rows.filter(({ name }) => !names.has(name)).map(({ id }) => id)
  if (gone.length > 0) await tx.deleteFrom('upstream_credential').where('id', 'in', gone).execute()
  let isChanged = gone.length > 0
  for (const each of credentials) {
    const known = rows.find(({ name }) => name === each.name)
    if (await putCredential(writing, tools, place, each, known)) isChanged = true
  }
  return isChanged
}

async function putCredential(
  writing: Writing,
  tools: CatalogTools,
  place: CredentialPlace,
  { name, value, isEnabled }: GivenCredential,
  known: UpstreamCredentialTable | undefined,
): Promise<boolean> {
  const isNew = value !== undefined && !(known && isEntered(tools, known, value, place.baseUrl))
  if (isNew) {
    await enter(writing, tools, place, { name, value, isEnabled }, known?.id)
    return true
  }
  if (!known || isEnabled === undefined || isEnabled === (known.enabled === 1)) return false
  await writing.tx
    .updateTable('upstream_credential')
    .set({ enabled: Number(isEnabled) })
    .where('id', '=', known.id)
    .execute()
  return true
}

/**
 * Enters one credential beside those that are there, or in place of the one of its name. One that somebody has
 * entered for another place is left as it is: it is theirs by now.
 */
export async function renewCredential(
  writing: Writing,
  tools: CatalogTools,
  place: CredentialPlace,
  credential: CredentialSettings,
): Promise<boolean> {
  const rows = await credentialsOf(writing, place.id)
  const known = rows.find(({ name }) => name === credential.name)
  if (known && originOf(known.origin) !== originOf(place.baseUrl)) return false
  if (known && isEntered(tools, known, credential.value, place.baseUrl)) return false
  await enter(writing, tools, place, credential, known?.id)
  return true
}

/** Another name, or switched on or off. Also keeps the mirror of `mirrorCredential` up to date. */
export async function changeCredential(
  writing: Writing,
  place: CredentialPlace,
  change: { readonly id: string; readonly name: string; readonly isEnabled: boolean },
): Promise<void> {
  await writing.tx
    .updateTable('upstream_credential')
    .set({ name: change.name, enabled: Number(change.isEnabled) })
    .where('id', '=', change.id)
    .execute()
  await mirrorCredential(writing, place)
  writing.announce('catalog', place.id)
}

export async function removeCredential(
  writing: Writing,
  place: CredentialPlace,
  id: string,
): Promise<void> {
  await writing.tx.deleteFrom('upstream_credential').where('id', '=', id).execute()
  await mirrorCredential(writing, place)
  writing.announce('catalog', place.id)
}

/** From now on they are for no place at all, and have to be entered again. */
export async function unbindCredentials({ tx }: Writing, upstreamId: string): Promise<void> {
  await tx
    .updateTable('upstream_credential')
    .set({ origin: '' })
    .where('upstream_id', '=', upstreamId)
    .execute()
}

/** Keeps the column up to date that processes of version 0.1 read: a credential that may be shown, or none. */
export async function mirrorCredential(writing: Writing, place: CredentialPlace): Promise<void> {
  const rows = await credentialsOf(writing, place.id)
  const shown = rows.find(
    (row) => row.enabled === 1 && originOf(row.origin) === originOf(place.baseUrl),
  )
  await writing.tx
    .updateTable('upstream')
    .set({ credential_sealed: shown?.value_sealed ?? null })
    .where('id', '=', place.id)
    .execute()
}

export async function credentialNames(db: Writing['tx'], upstreamId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('upstream_credential')
    .select('name')
    .where('upstream_id', '=', upstreamId)
    .execute()
  return rows.map(({ name }) => name)
}

function credentialsOf({ tx }: Writing, upstreamId: string): Promise<UpstreamCredentialTable[]> {
  return tx
    .selectFrom('upstream_credential')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .orderBy('created_at')
    .orderBy('name')
    .execute()
}

function isEntered(
  { vault }: CatalogTools,
  row: UpstreamCredentialTable,
  value: string,
  baseUrl: string,
): boolean {
  return (
    originOf(row.origin) === originOf(baseUrl) &&
    vault.open(row.value_sealed, credentialPurpose) === value
  )
}

/** A new value is a new credential with an id of its own: what was known of the old one does not count for it. */
async function enter(
  { tx }: Writing,
  tools: CatalogTools,
  place: CredentialPlace,
  { name, value, isEnabled = true }: CredentialSettings & Pick<GivenCredential, 'isEnabled'>,
  replaced: string | undefined,
): Promise<void> {
  if (replaced !== undefined)
    await tx.deleteFrom('upstream_credential').where('id', '=', replaced).execute()
  await tx
    .insertInto('upstream_credential')
    .values({
      id: newId('cred', tools.random),
      upstream_id: place.id,
      name,
      value_sealed: tools.vault.seal(value, credentialPurpose),
      hint: secretHint(value),
      origin: originOf(place.baseUrl),
      enabled: Number(isEnabled),
      created_at: tools.nowMs(),
    })
    .execute()
}
