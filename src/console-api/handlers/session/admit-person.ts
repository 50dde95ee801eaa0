import { createUser } from '../../../accounts/create-user.ts'
import {
  type OpenIdRules,
  rolesOfGroups,
  whyNotCreated,
} from '../../../accounts/definition/open-id.ts'
import { followGroups, stopFollowing } from '../../../accounts/follow-groups.ts'
import { acceptAll, listInvitations } from '../../../accounts/invitations.ts'
import { closeAllSessions } from '../../../accounts/session-store.ts'
import { changeLogin, normalEmail } from '../../../accounts/user-store.ts'
import { emailDomain } from '../../../core/access/email-domain.ts'
import type { RandomBytes } from '../../../core/id.ts'
import { emailKind } from '../../../fields/kinds.ts'
import { recordAudit } from '../../../store/changes/audit.ts'
import type { Writing } from '../../../store/changes/write.ts'
import { knownIds } from '../../../store/rows/known-ids.ts'
import type { SignInFailure } from '../../access/failed-sign-ins.ts'
import { mayGiveAt } from '../../access/may-give-link.ts'
import type { OpenIdPerson } from '../../ports/open-id-provider.ts'

export interface FailedPerson {
  readonly failure: SignInFailure
  /** The user in question, or an email that the provider has verified. */
  readonly subject?: string
  readonly openId?: string
}

interface AdmittedPerson {
  readonly userId: string
  /** Whether an existing user was linked to the identity just now. */
  readonly isLinked: boolean
}

interface AdmitTools {
  readonly random: RandomBytes
  readonly nowMs: number
  readonly rules: OpenIdRules
  /** Receives what the operator should correct; the visitor does not see it. */
  readonly warn: (problem: string) => void
}

/**
 * The user of a person whom the identity provider confirms. Creates one if the rules allow it, and makes the
 * memberships follow the groups. A refusal also commits its changes: a person who may no longer sign in loses the
 * memberships.
 */
export async function admitPerson(
  writing: Writing,
  tools: AdmitTools,
  person: OpenIdPerson,
): Promise<AdmittedPerson | FailedPerson> {
  if (person.groups.kind === 'unreadable') {
    tools.warn(`A sign-in was refused: ${person.groups.why}.`)
    return { failure: 'open-id-claim' }
  }
  const hasGroup = await isInGroup(writing, tools, person)
  const found = await findPerson(writing, tools, person)
  if (found && 'failure' in found) return found
  const user = found ?? (await createPerson(writing, tools, person, hasGroup))
  if ('failure' in user) return user
  await follow(writing, tools, person, user)
  if (tools.rules.create === 'groups' && user.source === 'open-id' && !hasGroup) {
    await closeAllSessions(writing.tx, user.userId)
    return { failure: 'open-id-group', subject: user.userId }
  }
  return { userId: user.userId, isLinked: user.isLinked }
}

interface FoundPerson {
  readonly userId: string
  readonly isLinked: boolean
  readonly email: string
  readonly source: string
}

/**
 * Finds the user by identity or, at the first sign-in, by the verified email. An invited user is not linked, because
 * the inviter may know the password: the email gets a new user, who takes over the invitations.
 */
async function findPerson(
  writing: Writing,
  { nowMs, warn }: AdmitTools,
  { openId, email }: OpenIdPerson,
): Promise<FoundPerson | FailedPerson | undefined> {
  const users = writing.tx
    .selectFrom('console_user')
    .select(['id', 'email', 'suspended', 'open_id', 'source'])
    .where('invited_to', 'is', null)
  const known = await users.where('open_id', '=', openId).executeTakeFirst()
  const user =
    known ??
    (email === undefined
      ? undefined
      : await users.where('email', '=', normalEmail(email)).executeTakeFirst())
  if (!user) return undefined
  const { id: userId } = user
  if (user.suspended !== 0) return { failure: 'login-disabled', subject: userId }
  if (!known) {
    if (user.open_id !== null) {
      warn(
        `A sign-in was refused: the user ${userId} is linked to another identity at the provider. If the person is the same, run "tollgate users unlink ${userId}".`,
      )
      return { failure: 'open-id-taken', subject: userId }
    }
    await changeLogin(writing, userId, { openId: { id: openId, verifiedAtMs: nowMs } })
  }
  return { userId, email: user.email, source: user.source, isLinked: !known }
}

/** Refused if neither an invitation nor the rules let the person in. */
async function createPerson(
  writing: Writing,
  { random, nowMs, rules }: AdmitTools,
  { openId, email: claimed }: OpenIdPerson,
  hasGroup: boolean,
): Promise<FoundPerson | FailedPerson> {
  const reading = emailKind.wire.safeParse(claimed)
  if (claimed === undefined || !reading.success) return { failure: 'open-id-email' }
  const email = reading.data
  const mayGive = mayGiveAt(nowMs)
  const isInvited = (await listInvitations(writing.tx, email, { mayGive, nowMs })).length > 0
  const failure = whyNotCreated(rules, { domain: emailDomain(claimed.trim()), hasGroup })
  if (failure !== undefined && !isInvited) return { failure, subject: email }
  // An invited person may sign in, whatever the groups say.
  const source = isInvited ? 'manual' : 'open-id'
  const made = { email, role: 'member', proof: 'open-id', openId, source } as const
  const userId = await createUser(writing, { random, nowMs }, made)
  await acceptAll(writing, { userId, email }, mayGive)
  await recordAudit(writing, {
    at: nowMs,
    actor: userId,
    action: 'user.created',
    subject: userId,
    after: { email, openId, source },
  })
  return { userId, email, source, isLinked: false }
}

async function follow(
  writing: Writing,
  { nowMs, rules, warn }: AdmitTools,
  { groups }: OpenIdPerson,
  { userId, email }: FoundPerson,
): Promise<void> {
  const follower = { userId, email, nowMs }
  if (groups.kind !== 'read') return stopFollowing(writing, follower)
  const wanted = rolesOfGroups(rules.groups, groups.groups)
  const { unknown, full } = await followGroups(writing, follower, wanted)
  for (const id of unknown) warn(`openIdGroups names the account "${id}", which does not exist.`)
  for (const id of full) warn(`The account "${id}" is full, so ${userId} did not become a member.`)
}

/** A group that leads to no existing account does not count. */
async function isInGroup(
  { tx }: Writing,
  { rules }: AdmitTools,
  { groups }: OpenIdPerson,
): Promise<boolean> {
  if (groups.kind !== 'read') return false
  const wanted = rolesOfGroups(rules.groups, groups.groups)
  return (await knownIds(tx, 'account', wanted.keys())).size > 0
}
