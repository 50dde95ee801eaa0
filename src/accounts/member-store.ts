import type { Selectable } from 'kysely'
import { announceKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { budgetMarksAfter, periodColumns, totalColumn } from '../store/rows/budget-columns.ts'
import { fixedQuery } from '../store/rows/fixed-query.ts'
import {
  columnNames,
  columnsOf,
  limitColumns,
  type StoredField,
  type StoredFieldsFor,
  type StoredValues,
  valuesOf,
} from '../store/rows/stored-fields.ts'
import type { MembershipTable } from '../store/tables/people-tables.ts'
import {
  type AccountRole,
  accountRoles,
  type GivenLimits,
  type MemberSettings,
  type MemberSource,
  memberSources,
} from './definition/member.ts'
import { limitsOfNewMember } from './former-members.ts'
import { openInvitationEndMs } from './invitation-end.ts'
import { takeOverInvitations } from './merge-login.ts'
import { endMemberships } from './remove-login.ts'

/** A role that this version does not know becomes the role with the least rights. */
export function readAccountRole(text: string): AccountRole {
  return accountRoles.find((role) => role === text) ?? 'viewer'
}

export function readSource(text: string): MemberSource {
  return memberSources.find((source) => source === text) ?? 'manual'
}

const role: StoredField<AccountRole, 'role', string> = {
  column: 'role',
  write: (word) => word,
  read: readAccountRole,
}

/** The columns of the budgets and rate limits of a member. */
export const memberLimitColumns = { ...totalColumn, ...periodColumns, ...limitColumns }

/** The column that stores each setting of a member. */
const settingColumns = { role, ...memberLimitColumns } satisfies StoredFieldsFor<
  MemberSettings,
  Selectable<MembershipTable>
>

export function isRoleEnough(role: AccountRole, least: AccountRole): boolean {
  return accountRoles.indexOf(role) >= accountRoles.indexOf(least)
}

/**
 * The role that a membership really grants. A login whose address is not verified acts only in the account that invited
 * it, and never as an owner, whatever its memberships say.
 */
export function effectiveRole(
  membership: { readonly account_id: string; readonly role: string },
  invitedTo: string | null,
): AccountRole | undefined {
  const role = readAccountRole(membership.role)
  if (invitedTo === null) return role
  if (invitedTo !== membership.account_id) return undefined
  return isRoleEnough(role, 'member') ? 'member' : role
}

export interface Member {
  readonly userId: string
  readonly email: string
  /** The stored role; `effectiveRole` gives the rights while the address is not verified. */
  readonly role: AccountRole
  readonly source: MemberSource
  readonly isProven: boolean
  readonly invitedTo: string | undefined
  readonly isAdmin: boolean
  readonly isSuspended: boolean
  readonly seenAtMs: number | undefined
  /** When the invitation of a login that nobody has opened expires. */
  readonly invitationEndsAtMs: number | null
  readonly limits: StoredValues<typeof memberLimitColumns>
}

export const membersMax = 500

export async function listMembers(db: Engine['db'], accountId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.role as console_role', 'u.suspended', 'u.seen_at', 'm.role'])
    .select(['u.invited_email', 'u.invited_to', 'u.invited_at', 'u.created_at', 'm.source'])
    .select(columnNames(memberLimitColumns))
    .where('m.account_id', '=', accountId)
    .orderBy('u.email')
    .limit(membersMax)
    .execute()
  return rows.map((row) => ({
    userId: row.id,
    email: row.invited_email ?? row.email,
    role: readAccountRole(row.role),
    source: readSource(row.source),
    isProven: row.invited_to === null,
    invitedTo: row.invited_to ?? undefined,
    isAdmin: row.console_role === 'admin' && row.invited_to === null,
    isSuspended: row.suspended === 1,
    seenAtMs: row.seen_at ?? undefined,
    invitationEndsAtMs: openInvitationEndMs(row),
    limits: valuesOf(memberLimitColumns, row),
  }))
}

/** What a new member gets without other instructions. */
const initial: { readonly role: AccountRole; readonly source: MemberSource } = {
  role: 'member',
  source: 'manual',
}

export interface GivenMember extends GivenLimits {
  readonly userId: string
  readonly accountId: string
  readonly role?: AccountRole | undefined
  /** Absent: a new membership, or another role, is set by hand; otherwise the source stays. */
  readonly source?: MemberSource | undefined
}

/**
 * Adds a member, or changes the given settings of one; returns false when nothing changed. The role decides whether the
 * keys of the member work, the limits what they may spend and use together. A person who joins has no open invitation to
 * the account any more: its limits are those of the membership, unless others are given.
 */
export async function putMember(writing: Writing, member: GivenMember): Promise<boolean> {
  const { tx, announce, nowMs } = writing
  const { userId, accountId, source: stated, ...given } = member
  const known = await findMembership(tx, member)
  if (!known) await takeOverInvitations(writing, userId, [accountId])
  const before = known ?? (await findMembership(tx, member))
  const isOtherRole = known !== undefined && given.role !== undefined && given.role !== known.role
  const source = stated ?? (isOtherRole ? initial.source : undefined)
  const columns = {
    ...(!known && initial),
    ...columnsOf(settingColumns, given),
    ...(source !== undefined && { source }),
  }
  if (!before) {
    const names = { user_id: userId, account_id: accountId }
    await tx
      .insertInto('membership')
      .values({ ...names, ...columns, ...(await limitsOfNewMember(writing, member, columns)) })
      .execute()
  } else {
    const present: Readonly<Record<string, unknown>> = before
    if (known && Object.entries(columns).every(([name, cell]) => cell === present[name]))
      return false
    const marks = budgetMarksAfter(before, columns, nowMs)
    await tx
      .updateTable('membership')
      .set({ ...columns, ...marks })
      .where('user_id', '=', userId)
      .where('account_id', '=', accountId)
      .execute()
    // Processes that have money for keys of the member read the limits of the account's keys again.
    if (marks.budget_version !== before.budget_version) announce('account', accountId)
  }
  await announceKeys(writing, member)
  return true
}

function findMembership(tx: Writing['tx'], { userId, accountId }: GivenMember) {
  return tx
    .selectFrom('membership')
    .selectAll()
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Replaces all memberships of a user with these. The keys of the user stop in accounts that are not listed. */
export async function putMembershipsOf(
  writing: Writing,
  userId: string,
  memberships: readonly { readonly accountId: string; readonly role: AccountRole }[],
): Promise<void> {
  const wanted = new Set(memberships.map(({ accountId }) => accountId))
  const rows = await writing.tx
    .selectFrom('membership')
    .select('account_id')
    .where('user_id', '=', userId)
    .execute()
  for (const { account_id: accountId } of rows) {
    if (!wanted.has(accountId)) await removeMember(writing, { userId, accountId })
  }
  for (const each of memberships) await putMember(writing, { userId, ...each })
}

/** Ends one membership: see `endMemberships`. */
export function removeMember(
  writing: Writing,
  member: { readonly userId: string; readonly accountId: string },
): Promise<void> {
  return endMemberships(writing, member)
}

const selectRoles = fixedQuery((db, { userId }: { userId: string }) =>
  db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['m.account_id', 'm.role', 'u.invited_to'])
    .where('m.user_id', '=', userId)
    .orderBy('m.account_id'),
)

/** The accounts in which a user may act, with the effective role in each. */
export async function rolesOf(
  db: Engine['db'],
  userId: string,
): Promise<ReadonlyMap<string, AccountRole>> {
  const rows = await selectRoles(db, { userId })
  return new Map(
    rows.flatMap((row) => {
      const role = effectiveRole(row, row.invited_to)
      return role === undefined ? [] : [[row.account_id, role] as const]
    }),
  )
}
