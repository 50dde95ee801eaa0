import { describe, expect, test } from 'bun:test'
import { putAccount } from '../../../src/accounts/account-store.ts'
import { createUser } from '../../../src/accounts/create-user.ts'
import { followGroups } from '../../../src/accounts/follow-groups.ts'
import { invite } from '../../../src/accounts/invitations.ts'
import { listMembers, putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { putUser } from '../../../src/accounts/user-store.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { nowMs, tools } from '../../support/store/row-helpers.ts'

/* An account can give limits to new members, however they join, so that nobody starts without a cap. */

const usual = {
  newMemberMonthlyNano: 20n,
  newMemberRequestsPerMinute: 60,
  newMemberConcurrentRequests: 4,
}
const email = 'ann@example.com'

describe.each(sharedFixtures('new_member_limits'))('limits of new members on $kind', (fixture) => {
  const put = (engine: Engine, settings: object = usual) =>
    write(engine, nowMs, (writing) =>
      putAccount(writing, nowMs, {
        id: 'acme',
        name: 'Acme',
        budgetZone: 'Europe/Paris',
        budgetMonthDay: 15,
        budgetAlertPercent: 80,
        ...settings,
      }),
    )
  const opened = async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    return engine
  }
  const newUser = (writing: Writing) =>
    createUser(
      writing,
      { random: tools.random, nowMs },
      { email, role: 'member', proof: 'open-id' },
    )
  const limitsIn = async (engine: Engine) => (await listMembers(engine.db, 'acme'))[0]?.limits
  const capped = {
    totalNano: null,
    dailyNano: null,
    weeklyNano: null,
    monthlyNano: 20n,
    budgetZone: 'Europe/Paris',
    budgetMonthDay: 15,
    budgetAlertPercent: 80,
    requestsPerMinute: 60,
    tokensPerMinute: null,
    concurrentRequests: 4,
  }

  const ways: readonly (readonly [string, (writing: Writing) => Promise<unknown>])[] = [
    [
      'by single sign-on',
      async (writing) => {
        const userId = await newUser(writing)
        await followGroups(writing, { userId, email, nowMs }, new Map([['acme', 'member']]))
      },
    ],
    [
      'by an invitation',
      (writing) =>
        invite(
          writing,
          { ...tools, nowMs, madeBy: 'u_owner' },
          { accountId: 'acme', email, role: 'member' },
        ),
    ],
    [
      'by an administrator',
      async (writing) =>
        putMember(writing, { userId: await newUser(writing), accountId: 'acme', role: 'viewer' }),
    ],
    [
      'by the file',
      (writing) =>
        putUser(writing, tools, {
          email,
          role: 'member',
          accounts: [{ id: 'acme' }],
          passwordHash: undefined,
        }),
    ],
  ]
  test.each([...ways])('a member who joins %s gets them', async (_, join) => {
    const engine = await opened()
    await write(engine, nowMs, join)
    expect(await limitsIn(engine)).toEqual(capped)
    const { budget_version: version, budget_kinds_at: since } = await engine.db
      .selectFrom('membership')
      .select(['budget_version', 'budget_kinds_at'])
      .executeTakeFirstOrThrow()
    expect(version).toBeGreaterThan(0)
    expect(since).toBe(nowMs)
  })

  test('given limits count instead, also when they say none', async () => {
    const engine = await opened()
    const given = { monthlyNano: null, requestsPerMinute: 7 }
    await write(engine, nowMs, async (writing) =>
      putMember(writing, { userId: await newUser(writing), accountId: 'acme', ...given }),
    )
    expect(await limitsIn(engine)).toMatchObject({
      ...given,
      budgetZone: 'UTC',
      concurrentRequests: null,
    })
  })

  test('members stay as they are when the setting changes, and when they are changed', async () => {
    const engine = await fixture.openMigrated()
    await put(engine, {})
    const userId = await write(engine, nowMs, newUser)
    const change = (more: object) =>
      write(engine, nowMs, (writing) => putMember(writing, { userId, accountId: 'acme', ...more }))
    await change({})
    await put(engine)
    await change({ role: 'owner' })
    expect(await limitsIn(engine)).toMatchObject({ monthlyNano: null, requestsPerMinute: null })
  })

  test('whoever comes back has the limits from before', async () => {
    const engine = await opened()
    const member = { userId: await write(engine, nowMs, newUser), accountId: 'acme' }
    const join = (more: object) =>
      write(engine, nowMs, (writing) => putMember(writing, { ...member, ...more }))
    await join({ monthlyNano: 5n, budgetZone: 'UTC', requestsPerMinute: null })
    await write(engine, nowMs, (writing) => removeMember(writing, member))
    await join({})
    expect(await limitsIn(engine)).toMatchObject({
      monthlyNano: 5n,
      budgetZone: 'UTC',
      // There was no rate limit to come back to.
      requestsPerMinute: 60,
    })
  })
})
