import { recordAudit } from '../store/changes/audit.ts'
import type { Writing } from '../store/changes/write.ts'
import { knownIds } from '../store/rows/known-ids.ts'
import type { AccountRole } from './definition/member.ts'
import { invitedLoginsOf } from './invited-logins.ts'
import { membersMax, putMember, readAccountRole, removeMember } from './member-store.ts'

/** Actor of the changes that the groups at the identity provider cause. */
const openIdActor = 'open-id'
const source = 'open-id'

interface Follower {
  readonly userId: string
  readonly email: string
  readonly nowMs: number
}

/** Accounts that a person should belong to, but does not. */
export interface MissedMemberships {
  /** Accounts that do not exist. */
  readonly unknown: readonly string[]
  /** Accounts that have no room for another member. */
  readonly full: readonly string[]
}

/**
 * Makes the memberships that come from groups equal to `wanted`. The keys of the user stop in accounts that are not
 * wanted. A membership that was set by hand stays as it is, also in a wanted account.
 */
export async function followGroups(
  writing: Writing,
  follower: Follower,
  wanted: ReadonlyMap<string, AccountRole>,
): Promise<MissedMemberships> {
  const { userId, email } = follower
  const rows = await membershipsOf(writing, userId)
  const present = new Map(rows.map((row) => [row.account_id, row]))
  for (const { account_id: accountId, role, source: from } of rows) {
    if (from !== source || wanted.has(accountId)) continue
    await removeMember(writing, { userId, accountId })
    await note(writing, follower, 'member.removed', accountId, { before: { userId, email, role } })
  }
  const existing = await knownIds(writing.tx, 'account', wanted.keys())
  const full: string[] = []
  for (const [accountId, role] of wanted) {
    if (!existing.has(accountId)) continue
    const row = present.get(accountId)
    if (row && row.source !== source) continue
    if (!row && (await isFull(writing, accountId, userId))) {
      full.push(accountId)
      continue
    }
    if (!(await putMember(writing, { userId, accountId, role, source }))) continue
    const after = { userId, email, role, source }
    if (!row) await note(writing, follower, 'member.added', accountId, { after })
    else {
      const before = { ...after, role: readAccountRole(row.role) }
      await note(writing, follower, 'member.changed', accountId, { before, after })
    }
  }
  return { unknown: [...wanted.keys()].filter((id) => !existing.has(id)), full }
}

/** Groups no longer decide: the memberships stay, and people can change them. */
export async function stopFollowing(writing: Writing, follower: Follower): Promise<void> {
  const { userId, email } = follower
  for (const row of await membershipsOf(writing, userId)) {
    if (row.source !== source) continue
    const before = { userId, email, role: row.role, source }
    const after = { ...before, source: 'manual' as const }
    await putMember(writing, { userId, accountId: row.account_id, source: after.source })
    await note(writing, follower, 'member.changed', row.account_id, { before, after })
  }
}

function membershipsOf({ tx }: Writing, userId: string) {
  return tx
    .selectFrom('membership')
    .select(['account_id', 'role', 'source'])
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute()
}

/** An invitation of the person makes room: it ends when the person joins. */
async function isFull(writing: Writing, accountId: string, userId: string): Promise<boolean> {
  const { count } = await writing.tx
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<number | string | bigint>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const invited = await invitedLoginsOf(writing, userId, [accountId])
  return Number(count) - invited.length >= membersMax
}

function note(
  writing: Writing,
  { nowMs }: Follower,
  action: string,
  subject: string,
  change: { readonly before?: object; readonly after?: object },
): Promise<void> {
  return recordAudit(writing, { at: nowMs, actor: openIdActor, action, subject, ...change })
}
