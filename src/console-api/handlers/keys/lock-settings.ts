import { priorities } from '../../../core/upstreams/priority.ts'
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
  const isOwner = await ownsAccount(call, tx, before.accountId)
  if (!isOwner && (before.isLocked || after.isLocked)) throw lockedKey()
  if (!isOwner && after.priority !== before.priority) throw priorityOfOwner()
  await checkPriority(call, tx, after, before)
  const isOthers = before.ownerId !== null && before.ownerId !== call.session.userId
  return isOwner && requestedLock === undefined && isOthers ? { ...after, isLocked: true } : after
}

/** Only an owner creates a key with settings that its user must not choose. */
export async function checkOwnerSettings(
  call: OwnerCall,
  { tx }: Pick<ChangeContext, 'tx'>,
  { accountId, isLocked, ...urgency }: Pick<KeyValues, 'accountId' | 'isLocked'> & Urgency,
): Promise<void> {
  if (!isLocked && urgency.priority === keyDefinition.fields.priority.initial) return
  if (!(await ownsAccount(call, tx, accountId))) throw isLocked ? lockedKey() : priorityOfOwner()
  await checkPriority(call, tx, urgency)
}

type Urgency = Pick<KeyValues, 'groups' | 'priority'>

/**
 * Accounts wait in the same queues, so an owner chooses among the priorities up to that of the groups, and only an
 * operator goes above. A key keeps what it has: an operator may have given it.
 */
async function checkPriority(
  { session }: OwnerCall,
  tx: ChangeContext['tx'],
  { groups, priority }: Urgency,
  before?: Urgency,
): Promise<void> {
  if (session.isAdmin || priority === null) return
  const added = groups.filter((group) => before?.groups.includes(group) !== true)
  const checked = priority === before?.priority ? added : groups
  if (checked.length === 0) return
  const rows = await tx
    .selectFrom('service_group')
    .select('priority')
    .where('id', 'in', checked)
    .execute()
  const rank = (each: string) => priorities.findIndex((one) => one === each)
  if (rows.every((group) => rank(priority) >= rank(group.priority))) return
  const message = 'Only an operator can give a key a higher priority than its groups have.'
  throw new ApiRefusal('not_allowed', message, { field: 'priority', detail: 'priority_operator' })
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
