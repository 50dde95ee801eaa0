import { findKeyOwner } from '../../../accounts/find-key-owner.ts'
import { tokenOfActor } from '../../../admin-tokens/token-value.ts'
import { defaultGroup, ensureDefaultGroup } from '../../../catalog/default-group.ts'
import { complete, toWire } from '../../../fields/definition.ts'
import { type KeyValues, keyDefinition } from '../../../keys/definition/key.ts'
import { deleteKey } from '../../../keys/delete-key.ts'
import { findKey, type KeyListing } from '../../../keys/key-list.ts'
import { createKey, revealKey, updateKey } from '../../../keys/key-store.ts'
import { rotateKeyValue } from '../../../keys/replace-key-value.ts'
import { retiredFrom } from '../../../keys/retired-value.ts'
import type { Engine } from '../../../store/engine.ts'
import { canonicalJson } from '../../../wire/canonical-json.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { putById, withBody } from '../../changes/put-by-id.ts'
import type { DoneAnswer, KeyPut, KeyRow, KeyWithValue, RevealedKey } from '../../contract.ts'
import type { ConsoleDeps } from '../../ports/console-parts.ts'
import { ApiRefusal, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { usableGroups } from '../models/usable-groups.ts'
import { checkExpiry } from './check-expiry.ts'
import { chooseOwner } from './choose-owner.ts'
import { describeKeyOf } from './describe-keys.ts'
import { checkOwnerSettings, lockEdit } from './lock-settings.ts'

export async function createKeyRow(call: CallOf<'POST /keys'>): Promise<JsonAnswer<KeyPut>> {
  const { value, ...settings } = await call.body()
  if (value !== undefined) checkMayBring(call)
  return makeKey(withBody(call, settings), { value })
}

/** The id of a deleted key is not used again, because the ledger refers to it. */
export async function putKeyRow(call: CallOf<'PUT /keys/{id}'>): Promise<JsonAnswer<KeyPut>> {
  const { id, deps } = call
  const key = await call.body()
  const isThere = async () => {
    const row = await deps.engine.db
      .selectFrom('api_key')
      .select(['account_id', 'deleted_at', 'owner_user_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    const isTaken = row && (row.account_id !== key.accountId || row.deleted_at !== null)
    if (isTaken) throw refuse('conflict', 'key_taken', { values: { id }, field: 'id' })
    if (row) await checkSameOwner(deps.engine.db, key, row.owner_user_id)
    return row
  }
  const { accountId: _account, ownerId: _owner, ...edit } = key
  return putById<KeyPut>({
    id,
    isThere,
    make: () => makeKey(withBody(call, key), { id }),
    replace: async () => {
      const { body } = await editKey(withBody(call, edit))
      return { body: { key: body, value: null } }
    },
  })
}

/** The owner can be named by email or id, also one who has left. */
async function checkSameOwner(
  db: Engine['db'],
  { accountId, ownerId }: Pick<KeyValues, 'accountId' | 'ownerId'>,
  present: string | null,
): Promise<void> {
  if (ownerId === present) return
  const named = ownerId === null ? undefined : await findKeyOwner(db, accountId, ownerId)
  if (named === undefined || named !== present) {
    throw refuse('conflict', 'owner_fixed', { field: 'ownerId' })
  }
}

/** A caller who may choose a value can find out which values exist, so members may not choose one. */
function checkMayBring({ session }: SignedInCall): void {
  if (session.isAdmin || tokenOfActor(session.userId) !== undefined) return
  throw new ApiRefusal('not_allowed', 'Only an operator or a token can set the value of a key.', {
    field: 'value',
    detail: 'value_operator',
  })
}

/** The owner of an account must not know the value of another person's key; an operator brings values from elsewhere. */
function checkMayBringFor(
  { session }: Pick<SignedInCall, 'session'>,
  ownerId: string | null,
): void {
  if (ownerId === null || session.isAdmin) return
  const message = 'Only an operator can set the value of a key that belongs to a user.'
  throw new ApiRefusal('not_allowed', message, { field: 'value', detail: 'value_personal' })
}

type MakingCall = Pick<SignedInCall, 'deps' | 'session' | 'roles' | 'guard' | 'recheck'> & {
  body(): Promise<Omit<KeyValues, 'ownerId'> & { readonly ownerId?: string | null | undefined }>
}

async function makeKey(
  call: MakingCall,
  given: { readonly id?: string; readonly value?: string | undefined },
): Promise<JsonAnswer<KeyPut>> {
  const { vault, random, clock, engine } = call.deps
  const body = checkExpiry(await call.body(), clock.nowMs())
  const tools = { vault, random, nowMs: clock.nowMs }
  const made = await change(call, async (changing) => {
    const settings = { ...body, ownerId: await chooseOwner(call, changing, body) }
    await checkOwnerSettings(call, changing, body)
    if (given.value !== undefined) checkMayBringFor(call, settings.ownerId)
    if (call.session.isAdmin && settings.groups.includes(defaultGroup)) {
      await ensureDefaultGroup(changing, tools)
    }
    await checkGroups(call, changing, settings.accountId, settings.groups)
    if (given.value !== undefined) await refuseUsedValue(call, changing, given.value)
    const key = await createKey(changing, tools, settings, given)
    await changing.record({ action: 'key.created', subject: key.id, after: settings })
    return { ...key, ownerId: settings.ownerId }
  })
  const key = await describeKeyOf(engine, made.id, clock.nowMs())
  const isTheirs = made.ownerId === null || made.ownerId === call.session.userId
  return { body: { key, value: isTheirs ? made.value : null } }
}

export async function editKey(call: CallOf<'PATCH /keys/{id}'>): Promise<JsonAnswer<KeyRow>> {
  const { deps, id } = call
  const edit = checkExpiry(await call.body(), deps.clock.nowMs())
  await change(call, async (changing) => {
    const before = settingsOf(await needKey(changing, id))
    const added = edit.groups?.filter((group) => !before.groups.includes(group)) ?? []
    await checkGroups(call, changing, before.accountId, added)
    const after = await lockEdit(call, changing, before, { ...before, ...edit }, edit.isLocked)
    await updateKey(changing, id, after)
    await changing.record({ subject: id, ...describeEdit(before, after) })
  })
  return { body: await describeKeyOf(deps.engine, id, deps.clock.nowMs()) }
}

export async function removeKey(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await change(call, async (changing) => {
    const before = settingsOf(await needKey(changing, call.id))
    await deleteKey(changing, call.id, changing.nowMs)
    await changing.record({ action: 'key.deleted', subject: call.id, before })
  })
  return { body: { isDone: true } }
}

export async function rotateKey(call: SignedInCall): Promise<JsonAnswer<KeyWithValue>> {
  const { deps, id } = call
  const value = await change(call, async (changing) => {
    const { hint, accountId, ownerId } = await needKey(changing, id)
    // Only operators get here without being members.
    if (ownerId !== null && (await findKeyOwner(changing.tx, accountId, ownerId)) === undefined)
      throw refuse('conflict', 'owner_not_member')
    const minted = await rotateKeyValue(changing, deps, id)
    await changing.record({ action: 'key.rotated', subject: id, before: { hint } })
    return minted
  })
  return { body: { key: await describeKeyOf(deps.engine, id, deps.clock.nowMs()), value } }
}

/**
 * The value is read in the transaction that checks the caller and records the access: afterwards the key may belong to
 * the account, with a new value.
 */
export async function showKey(call: SignedInCall): Promise<JsonAnswer<RevealedKey>> {
  const value = await change(call, async ({ tx, record }) => {
    await record({ action: 'key.revealed', subject: call.id })
    return needValue(tx, call.deps, call.id)
  })
  return { body: { value } }
}

/** An existing key may have no value that can be shown. */
export async function needValue(
  db: Engine['db'],
  { vault }: Pick<ConsoleDeps, 'vault'>,
  id: string,
): Promise<string> {
  const value = await revealKey({ db }, vault, id)
  if (value !== undefined) return value
  const key = await findKey(db, id)
  if (!key) throw new ApiRefusal('not_found', 'This key does not exist.')
  throw refuse('conflict', key.hint === '' ? 'value_stopped' : 'value_hidden')
}

export async function needKey({ tx }: ChangeContext, id: string): Promise<KeyListing> {
  const key = await findKey(tx, id)
  if (!key) throw new ApiRefusal('not_found', 'This key does not exist.')
  return key
}

function settingsOf(key: KeyListing): KeyValues {
  return complete(keyDefinition, key)
}

/** A change that only enables or disables the key has an audit action of its own. */
function describeEdit(before: KeyValues, after: KeyValues) {
  const { isEnabled } = after
  const isSwitched =
    isEnabled !== before.isEnabled &&
    canonicalJson(toWire(keyDefinition, { ...before, isEnabled })) ===
      canonicalJson(toWire(keyDefinition, after))
  if (!isSwitched) return { action: 'key.changed', before, after }
  const action = isEnabled ? 'key.enabled' : 'key.disabled'
  return { action, before: { isEnabled: before.isEnabled }, after: { isEnabled } }
}

async function refuseUsedValue(
  { deps, session }: Pick<SignedInCall, 'deps' | 'session'>,
  { tx }: ChangeContext,
  value: string,
): Promise<void> {
  const row = await tx
    .selectFrom('api_key')
    .select('id')
    .where('value_hash', '=', deps.vault.lookupHash(value))
    .executeTakeFirst()
  const isRetired = (await retiredFrom(tx, deps.vault, value)) !== undefined
  if (isRetired) throw refuse('conflict', 'value_retired', { field: 'value' })
  if (!row) return
  // The key may belong to another user.
  throw session.isAdmin
    ? refuse('conflict', 'value_taken', { values: { key: row.id }, field: 'value' })
    : refuse('conflict', 'value_used', { field: 'value' })
}

async function checkGroups(
  { session }: Pick<SignedInCall, 'session'>,
  { tx, nowMs }: ChangeContext,
  accountId: string,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return
  const usable = await usableGroups(tx, [accountId], nowMs)
  const missing = groups.find((group) => !usable.some(({ id }) => id === group))
  if (missing === undefined) return
  const group = await tx
    .selectFrom('service_group')
    .select('id')
    .where('id', '=', missing)
    .executeTakeFirst()
  // For others, a group that they may not use does not exist.
  const isUnknown = session.isAdmin && !group
  throw unfitField('groups', isUnknown ? 'group_unknown' : 'group_forbidden', { id: missing })
}
