import { beforeAll, describe, expect, test } from 'bun:test'
import { acceptInvitation } from '../../../../src/accounts/invitations.ts'
import { putMember, putMembershipsOf, removeMember } from '../../../../src/accounts/member-store.ts'
import { removeLogin } from '../../../../src/accounts/remove-login.ts'
import { changeLogin, putUser } from '../../../../src/accounts/user-store.ts'
import { verifyUser } from '../../../../src/accounts/verify-user.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { createKey } from '../../../../src/keys/key-store.ts'
import { makeServiceKey } from '../../../../src/keys/make-service-key.ts'
import { retiredFrom } from '../../../../src/keys/retired-value.ts'
import { type Writing, write } from '../../../../src/store/changes/write.ts'
import { eventually } from '../../../support/eventually.ts'
import { chatBody } from '../../../support/gateway/ask.ts'
import { testVault } from '../../../support/gateway/test-database.ts'
import { withGateway } from '../../../support/gateway/with-gateway.ts'

/* When a user leaves an account, the gateway refuses the keys of the user, as it refuses a disabled key. */

const gateway = withGateway()
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const accountId = 'acme'

const change = <T>(work: (writing: Writing) => Promise<T>) =>
  write(gateway().engine, Date.now(), work)

interface Member {
  readonly userId: string
  readonly email: string
  readonly keyId: string
  readonly value: string
}

let count = 0

/** Adds a member with a working key. */
async function addMember(invitedTo: string | null = null): Promise<Member> {
  count += 1
  const userId = `u_${count}`
  const email = `member-${count}@x.org`
  const { engine } = gateway()
  const invited = invitedTo === null ? {} : { invited_to: invitedTo, invited_email: email }
  await engine.db
    .insertInto('console_user')
    .values({
      id: userId,
      email: invitedTo === null ? email : `${email} ${userId}`,
      password_hash: null,
      role: 'member',
      created_at: 1,
      ...invited,
    })
    .execute()
  const key = await change(async (writing) => {
    await putMember(writing, { userId, accountId, role: 'member' })
    const settings = { accountId, ownerId: userId, name: `key of ${userId}`, groups: ['default'] }
    return createKey(writing, tools, settings)
  })
  await eventually('the key is served', async () => (await statusOf(key.value)) === 200)
  return { userId, email, keyId: key.id, value: key.value }
}

async function statusOf(value: string): Promise<number> {
  const { ask } = gateway()
  const headers = { authorization: `Bearer ${value}` }
  return (await ask({ headers, body: chatBody() })).status
}

const isRefused = (value: string) => async () => (await statusOf(value)) === 401

interface Leaving {
  readonly name: string
  leave(writing: Writing, member: Member): Promise<unknown>
  /** Undoes the change; absent when nothing can. */
  comeBack?(writing: Writing, member: Member): Promise<unknown>
  /** Whether the old value stays refused then. */
  readonly isForGood: boolean
}

const rejoin = (writing: Writing, { userId }: Member) =>
  putMember(writing, { userId, accountId, role: 'member' })

const ways: readonly Leaving[] = [
  {
    name: 'an owner removes the member',
    leave: (writing, { userId }) => removeMember(writing, { userId, accountId }),
    comeBack: rejoin,
    isForGood: true,
  },
  {
    name: 'an operator gives the user other accounts',
    leave: (writing, { userId }) => putMembershipsOf(writing, userId, []),
    comeBack: rejoin,
    isForGood: true,
  },
  {
    name: 'the file no longer lists the account of the user',
    leave: (writing, { email }) =>
      putUser(writing, tools, { email, role: 'member', accounts: [], passwordHash: undefined }),
    comeBack: rejoin,
    isForGood: true,
  },
  {
    name: 'an operator deletes the user',
    leave: (writing, { userId }) => removeLogin(writing, userId),
    isForGood: true,
  },
  {
    name: 'an operator suspends the user',
    leave: (writing, { userId }) => changeLogin(writing, userId, { isSuspended: true }),
    comeBack: (writing, { userId }) => changeLogin(writing, userId, { isSuspended: false }),
    isForGood: false,
  },
  {
    name: 'an owner makes the member a viewer',
    leave: (writing, { userId }) => putMember(writing, { userId, accountId, role: 'viewer' }),
    comeBack: rejoin,
    isForGood: false,
  },
]

describe.each(ways)('$name', ({ leave, comeBack, isForGood }) => {
  let member: Member

  beforeAll(async () => {
    member = await addMember()
    await change((writing) => leave(writing, member))
  })

  test('the key is refused, and other keys are served', async () => {
    await eventually('the key is refused', isRefused(member.value))
    const { ask } = gateway()
    expect((await ask({ key: 'plain', body: chatBody() })).status).toBe(200)
  })

  if (comeBack) {
    test(`after the user is back, the old value ${isForGood ? 'stays refused' : 'works'}`, async () => {
      await change((writing) => comeBack(writing, member))
      // A key that is created afterwards works as soon as the change has arrived.
      const settings = { accountId, ownerId: member.userId, name: 'next', groups: ['default'] }
      const next = await change((writing) => createKey(writing, tools, settings))
      await eventually('a new key is served', async () => (await statusOf(next.value)) === 200)
      if (isForGood) expect(await statusOf(member.value)).toBe(401)
      else await eventually('the key is served', async () => (await statusOf(member.value)) === 200)
      await change((writing) => leave(writing, member))
      await eventually('the new key is refused', isRefused(next.value))
    })
  }

  test('converted, the key has a new value, and the old value is refused for ever', async () => {
    await eventually('the key is refused', isRefused(member.value))
    const value = await change((writing) => makeServiceKey(writing, tools, member.keyId))
    await eventually('the new value is served', async () => (await statusOf(value)) === 200)
    expect(await statusOf(member.value)).toBe(401)
    const { db } = gateway().engine
    expect(await retiredFrom(db, testVault, member.value)).toBe(member.keyId)
    const row = await db
      .selectFrom('api_key')
      .select(['owner_user_id', 'stopped'])
      .where('id', '=', member.keyId)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ owner_user_id: null, stopped: 0 })
  })
})

test('an invited login that is verified keeps its keys without their values', async () => {
  const { userId, email, keyId, value } = await addMember(accountId)
  const proof = { proof: 'operator', nowMs: Date.now() } as const
  await change((writing) => verifyUser(writing, { id: userId, email }, proof))
  await eventually('the key is refused', isRefused(value))
  const { db } = gateway().engine
  const row = await db
    .selectFrom('api_key')
    .select(['owner_user_id', 'stopped'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ owner_user_id: userId, stopped: 1 })
})

test('an invited login that is merged into a verified one hands its keys over', async () => {
  const { userId, email, keyId, value } = await addMember(accountId)
  await change((writing) =>
    putUser(writing, tools, { email, role: 'member', accounts: [], passwordHash: undefined }),
  )
  const proof = { proof: 'operator', nowMs: Date.now() } as const
  const proven = await change((writing) => verifyUser(writing, { id: userId, email }, proof))
  expect(proven).not.toBe(userId)
  await eventually('the key is refused', isRefused(value))
  const row = await gateway()
    .engine.db.selectFrom('api_key')
    .select('owner_user_id')
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  expect(row.owner_user_id).toBe(proven)
})

test('a verified login that takes an invitation over has its rate limits at once', async () => {
  const { userId, email, value } = await addMember()
  const invited = `${userId}_invited`
  await gateway()
    .engine.db.insertInto('console_user')
    .values({
      id: invited,
      email: `${email} ${invited}`,
      invited_email: email,
      invited_to: accountId,
      password_hash: null,
      role: 'member',
      created_at: Date.now(),
    })
    .execute()
  await change(async (writing) => {
    await putMember(writing, { userId: invited, accountId, role: 'member', requestsPerMinute: 1 })
    await acceptInvitation(writing, { userId, email, accountId }, async () => true)
  })
  await eventually('the limit applies', async () => (await statusOf(value)) === 429)
})
