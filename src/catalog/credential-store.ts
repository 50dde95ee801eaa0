import { newId } from '../core/id.ts'
import { secretHint } from '../core/text/secret-hint.ts'
import type { Writing } from '../store/changes/write.ts'
import {
  asFlag,
  asIs,
  columnsOf,
  limitColumns,
  rowOf,
  type StoredValues,
  valuesOf,
} from '../store/rows/stored-fields.ts'
import type { UpstreamCredentialTable } from '../store/tables/tables.ts'
import { type CatalogDeps, credentialPurpose } from './catalog-store.ts'
import type { CredentialSettings, GivenCredential } from './definition/upstream.ts'
import { originOf } from './origin-of.ts'

/** The columns of the settings of a credential, besides its value. */
export const credentialColumns = {
  name: asIs<string, 'name'>('name'),
  isEnabled: asFlag('enabled'),
  ...limitColumns,
}

/** The upstream that owns the credential, and the base URL that the credential is entered for. */
export interface CredentialOwner {
  readonly id: string
  readonly baseUrl: string
}

/**
 * Replaces the credentials of an upstream and returns whether anything changed. A credential without a value refers to
 * the stored credential of the same name; without such a credential, nothing is created.
 */
export async function putCredentials(
  writing: Writing,
  deps: CatalogDeps,
  upstream: CredentialOwner,
  credentials: readonly GivenCredential[],
): Promise<boolean> {
  const { tx } = writing
  const rows = await credentialsOf(writing, upstream.id)
  const names = new Set(credentials.map(({ name }) => name))
  const gone = rows.filter(({ name }) => !names.has(name)).map(({ id }) => id)
  if (gone.length > 0) await tx.deleteFrom('upstream_credential').where('id', 'in', gone).execute()
  let isChanged = gone.length > 0
  for (const each of credentials) {
    const known = rows.find(({ name }) => name === each.name)
    if (await putCredential(writing, deps, upstream, each, known)) isChanged = true
  }
  return isChanged
}

async function putCredential(
  writing: Writing,
  deps: CatalogDeps,
  upstream: CredentialOwner,
  { name, value, isEnabled, ...given }: GivenCredential,
  known: UpstreamCredentialTable | undefined,
): Promise<boolean> {
  const isNew = value !== undefined && !(known && isEntered(deps, known, value, upstream.baseUrl))
  if (isNew) {
    await enter(writing, deps, upstream, { name, value, isEnabled, ...given }, known)
    return true
  }
  const next = { ...(isEnabled !== undefined && { isEnabled }), ...given }
  if (!known || isSame(known, next)) return false
  await writing.tx
    .updateTable('upstream_credential')
    .set(columnsOf(credentialColumns, next))
    .where('id', '=', known.id)
    .execute()
  return true
}

/**
 * Adds one credential, or replaces the one with the same name. A credential that was entered for another host stays
 * unchanged, because a person has taken it over.
 */
export async function renewCredential(
  writing: Writing,
  deps: CatalogDeps,
  upstream: CredentialOwner,
  credential: CredentialSettings,
): Promise<boolean> {
  const rows = await credentialsOf(writing, upstream.id)
  const known = rows.find(({ name }) => name === credential.name)
  if (known && originOf(known.origin) !== originOf(upstream.baseUrl)) return false
  if (known && isEntered(deps, known, credential.value, upstream.baseUrl)) return false
  await enter(writing, deps, upstream, credential, known)
  return true
}

/**
 * Gives a credential that exists a new value, and leaves its other settings as they are. A credential that was deleted,
 * or entered for another host, stays unchanged, because a person has decided so.
 */
export async function replaceValue(
  writing: Writing,
  deps: CatalogDeps,
  upstream: CredentialOwner,
  { name, value }: Pick<CredentialSettings, 'name' | 'value'>,
): Promise<boolean> {
  const rows = await credentialsOf(writing, upstream.id)
  const known = rows.find((row) => row.name === name)
  if (!known || originOf(known.origin) !== originOf(upstream.baseUrl)) return false
  if (isEntered(deps, known, value, upstream.baseUrl)) return false
  await enter(writing, deps, upstream, { name, value, isEnabled: known.enabled === 1 }, known)
  const row = await writing.tx
    .selectFrom('upstream')
    .select('base_url')
    .where('id', '=', upstream.id)
    .executeTakeFirst()
  await mirrorCredential(writing, { id: upstream.id, baseUrl: row?.base_url ?? '' })
  writing.announce('catalog', upstream.id)
  return true
}

/** Renames, limits, enables or disables a credential, and updates the copy of `mirrorCredential`. */
export async function changeCredential(
  writing: Writing,
  upstream: CredentialOwner,
  { id, ...change }: { readonly id: string } & StoredValues<typeof credentialColumns>,
): Promise<void> {
  await writing.tx
    .updateTable('upstream_credential')
    .set(rowOf(credentialColumns, change))
    .where('id', '=', id)
    .execute()
  await mirrorCredential(writing, upstream)
  writing.announce('catalog', upstream.id)
}

export async function removeCredential(
  writing: Writing,
  upstream: CredentialOwner,
  id: string,
): Promise<void> {
  await writing.tx.deleteFrom('upstream_credential').where('id', '=', id).execute()
  await mirrorCredential(writing, upstream)
  writing.announce('catalog', upstream.id)
}

/** Unbinds the credentials from every host; they must be entered again. */
export async function unbindCredentials({ tx }: Writing, upstreamId: string): Promise<void> {
  await tx
    .updateTable('upstream_credential')
    .set({ origin: '' })
    .where('upstream_id', '=', upstreamId)
    .execute()
}

/** Updates the column that processes of version 0.1 read: one credential that may be sent, or none. */
export async function mirrorCredential(writing: Writing, upstream: CredentialOwner): Promise<void> {
  const rows = await credentialsOf(writing, upstream.id)
  const shown = rows.find(
    (row) => row.enabled === 1 && originOf(row.origin) === originOf(upstream.baseUrl),
  )
  await writing.tx
    .updateTable('upstream')
    .set({ credential_sealed: shown?.value_sealed ?? null })
    .where('id', '=', upstream.id)
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

function isSame(
  row: UpstreamCredentialTable,
  given: Parameters<typeof columnsOf<typeof credentialColumns>>[1],
): boolean {
  const present: Readonly<Record<string, unknown>> = { ...row }
  return Object.entries(columnsOf(credentialColumns, given)).every(
    ([name, cell]) => cell === present[name],
  )
}

function isEntered(
  { vault }: CatalogDeps,
  row: UpstreamCredentialTable,
  value: string,
  baseUrl: string,
): boolean {
  return (
    originOf(row.origin) === originOf(baseUrl) &&
    vault.open(row.value_sealed, credentialPurpose) === value
  )
}

/** A new value is a new credential with its own id, so that the health of the old credential does not apply to it. */
async function enter(
  { tx }: Writing,
  deps: CatalogDeps,
  upstream: CredentialOwner,
  { name, value, isEnabled = true, ...given }: CredentialSettings & GivenCredential,
  replaced: UpstreamCredentialTable | undefined,
): Promise<void> {
  if (replaced) await tx.deleteFrom('upstream_credential').where('id', '=', replaced.id).execute()
  await tx
    .insertInto('upstream_credential')
    .values({
      id: newId('cred', deps.random),
      upstream_id: upstream.id,
      name,
      value_sealed: deps.vault.seal(value, credentialPurpose),
      hint: secretHint(value),
      origin: originOf(upstream.baseUrl),
      enabled: Number(isEnabled),
      // A new value belongs to the same account at the provider, so its limits stay.
      ...(replaced && columnsOf(limitColumns, valuesOf(limitColumns, replaced))),
      ...columnsOf(limitColumns, given),
      created_at: deps.nowMs(),
    })
    .execute()
}
