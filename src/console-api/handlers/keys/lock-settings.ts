import { toWire } from '../../../fields/definition.ts'
import { type KeyValues, keyDefinition } from '../../../keys/definition/key.ts'
import { canonicalJson } from '../../../wire/canonical-json.ts'
import type { ChangeContext } from '../../changes/change.ts'
import { ApiRefusal } from '../../refusal.ts'
import { type OwnerCall, ownsAccount } from './choose-owner.ts'

/**
 * The settings after an edit, with the lock. If an owner of the account edits the key of another user, the edit locks
 * the settings unless it contains another value for the lock. The user of a locked key can only rename it.
 */
export async function lockEdit(
  call: OwnerCall,
  { tx }: Pick<ChangeContext, 'tx'>,
  before: KeyValues,
  after: KeyValues,
  requestedLock: boolean | undefined,
): Promise<KeyValues> {
  const isRenamed = isSame({ ...before, name: after.name }, after)
  if (isRenamed) return after
  if (!(await ownsAccount(call, tx, before.accountId))) {
    if (before.isLocked || after.isLocked) throw lockedKey()
    if (after.priority !== before.priority) throw priorityOfOwner()
    return after
  }
  const isOthers = before.ownerId !== null && before.ownerId !== call.session.userId
  return requestedLock === undefined && isOthers ? { ...after, isLocked: true } : after
}

/** Only an owner creates a key with settings that its user must not choose. */
export async function checkOwnerSettings(
  call: OwnerCall,
  { tx }: Pick<ChangeContext, 'tx'>,
  { accountId, isLocked, priority }: Pick<KeyValues, 'accountId' | 'isLocked' | 'priority'>,
): Promise<void> {
  if (!isLocked && priority === keyDefinition.fields.priority.initial) return
  if (await ownsAccount(call, tx, accountId)) return
  throw isLocked ? lockedKey() : priorityOfOwner()
}

function isSame(one: KeyValues, other: KeyValues): boolean {
  return canonicalJson(toWire(keyDefinition, one)) === canonicalJson(toWire(keyDefinition, other))
}

/** Otherwise a member could give their own requests priority over all others. */
function priorityOfOwner(): ApiRefusal {
  const message = 'Only an owner of the account can change the priority of a key.'
  return new ApiRefusal('not_allowed', message, { field: 'priority', detail: 'priority_owner' })
}

function lockedKey(): ApiRefusal {
  const message = 'An owner of the account has locked the settings of this key. Ask an owner.'
  return new ApiRefusal('not_allowed', message, { field: 'isLocked', detail: 'settings_locked' })
}
