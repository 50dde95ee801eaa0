import { putAccount } from '../accounts/account-store.ts'
import { createUser, findUserByEmail } from '../accounts/create-user.ts'
import { firstAdmin } from '../accounts/last-holder.ts'
import { putMember } from '../accounts/member-store.ts'
import { changeLogin } from '../accounts/user-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import { newId } from '../core/id.ts'
import { creditReasons } from '../core/money/credit-reasons.ts'
import { createKey, revealKey } from '../keys/key-store.ts'
import { grantCredit } from '../ledger/credits.ts'
import { recordAudit } from '../store/changes/audit.ts'
import type { Writing } from '../store/changes/write.ts'
import { knownIds } from '../store/rows/known-ids.ts'
import { type ProvisionDeps, provisionActor } from './provision-deps.ts'

const localId = 'local'
const localCreditNano = 25_000_000_000n
const adminEmail = 'admin@localhost'

/**
 * Creates a key for a gateway without any key, and returns its value again at each start. Returns undefined when only
 * other keys exist, or when this key is disabled.
 */
export async function ensureLocalKey(
  writing: Writing,
  deps: ProvisionDeps,
): Promise<string | undefined> {
  const find = writing.tx
    .selectFrom('api_key')
    .select(['id', 'enabled'])
    .orderBy((eb) => eb.case().when('id', '=', localId).then(0).else(1).end())
    .limit(1)
  const known = await find.executeTakeFirst()
  if (!known) await makeLocalKey(writing, deps)
  const row = known ?? { id: localId, enabled: 1 }
  if (row.id !== localId || row.enabled !== 1) return undefined
  return revealKey({ db: writing.tx }, deps.vault, localId)
}

async function makeLocalKey(writing: Writing, deps: ProvisionDeps): Promise<void> {
  const at = deps.nowMs()
  await ensureDefaultGroup(writing, deps)
  await putAccount(writing, at, { id: localId, name: 'Local' })
  await grantCredit(writing, {
    id: newId('credit', deps.random),
    accountId: localId,
    amountNano: localCreditNano,
    source: 'provision',
    externalId: localId,
    reason: creditReasons.initial,
    at,
  })
  const settings = { accountId: localId, name: 'local', groups: [defaultGroup] }
  await createKey(writing, deps, settings, { id: localId })
  await recordAudit(writing, {
    at,
    actor: provisionActor,
    action: 'key.created',
    subject: localId,
    after: settings,
  })
}

/**
 * Ensures that a person can open the console: an administrator without a password, who signs in with a link. The
 * administrator owns the local account: decisions of owners, such as recording, would otherwise need a second person.
 */
export async function ensureAdmin(
  writing: Writing,
  deps: ProvisionDeps,
): Promise<{ readonly id: string; readonly email: string }> {
  const { tx } = writing
  const known = await firstAdmin(tx)
  if (known) return known
  const at = deps.nowMs()
  const role = 'admin'
  const record = (action: string, after: object) =>
    recordAudit(writing, { at, actor: provisionActor, action, subject: adminEmail, after })
  const former = await findUserByEmail(tx, adminEmail)
  if (former) {
    await changeLogin(writing, former.id, { role, isSuspended: false })
    await record('user.changed', { role, isSuspended: false })
    return { id: former.id, email: adminEmail }
  }
  const made = { email: adminEmail, role, proof: 'operator' } as const
  const id = await createUser(writing, { random: deps.random, nowMs: at }, made)
  const accountIds = [...(await knownIds(tx, 'account', [localId]))]
  for (const accountId of accountIds)
    await putMember(writing, { userId: id, accountId, role: 'owner' })
  await record('user.created', { role, accountIds })
  return { id, email: adminEmail }
}
