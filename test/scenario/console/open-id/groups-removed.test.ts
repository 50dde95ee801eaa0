import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { OpenIdRules } from '../../../../src/accounts/definition/open-id.ts'
import type {
  AccountDetail,
  ErrorAnswer,
  OperatorAccountDetail,
  UserRow,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { noRules, unusedProvider } from '../../../support/console/open-id-provider.ts'

/*
 * Memberships that came from groups. While groups decide, people cannot change them. If the settings name no provider
 * or no groups any more, nobody else could: the owner of the account must be able to remove a person who has left.
 */

const api = '/console/api'
const groups: OpenIdRules['groups'] = [{ group: 'ai', account: 'acme', role: 'member' }]

describe.each([
  ['while groups decide', unusedProvider({ ...noRules, groups })],
  ['with a provider, but without groups', unusedProvider(noRules)],
  ['without a provider', undefined],
] as const)('a membership that came from groups, %s', (_name, openId) => {
  const isDecided = openId !== undefined && openId.rules.groups.length > 0
  let fixture: ConsoleFixture

  beforeAll(async () => {
    fixture = await openConsoleFixture({ ...(openId && { openId }) })
  })
  afterAll(() => fixture.close())
  beforeEach(async () => {
    const { db } = fixture.engine
    const names = { user_id: 'u_ann', account_id: 'acme' }
    const followed = { role: 'member', source: 'open-id' }
    await db
      .insertInto('membership')
      .values({ ...names, ...followed })
      .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doUpdateSet(followed))
      .execute()
  })

  const memberOfAnn = () =>
    fixture.engine.db
      .selectFrom('membership')
      .select(['role', 'source'])
      .where('user_id', '=', 'u_ann')
      .where('account_id', '=', 'acme')
      .executeTakeFirst()
  const followed = { role: 'member', source: 'open-id' }
  const detailOf = async (response: Response) =>
    response.ok ? undefined : (await readJson<ErrorAnswer>(response)).error.detail
  const refusal = isDecided ? 'member_open_id' : undefined
  const place = `${api}/accounts/acme/members?user=u_ann`

  test('an owner of the account changes the role', async () => {
    const cookie = await fixture.signIn('u_owen')
    const response = await fixture.send('PATCH', place, { cookie, body: { role: 'viewer' } })
    expect(await detailOf(response)).toBe(refusal)
    expect(await memberOfAnn()).toEqual(isDecided ? followed : { role: 'viewer', source: 'manual' })
  })

  test.each(['u_owen', 'u_ann'])('%s ends the membership', async (userId) => {
    const cookie = await fixture.signIn(userId)
    expect(await detailOf(await fixture.send('DELETE', place, { cookie }))).toBe(refusal)
    expect(await memberOfAnn()).toEqual(isDecided ? followed : undefined)
  })

  test('an administrator changes the memberships of the user', async () => {
    const cookie = await fixture.signIn('u_root')
    const body = { accounts: [{ id: 'acme', role: 'viewer' }] }
    const response = await fixture.send('PATCH', `${api}/operate/users/u_ann`, { cookie, body })
    expect(await detailOf(response)).toBe(refusal)
    expect(await memberOfAnn()).toEqual(isDecided ? followed : { role: 'viewer', source: 'manual' })
  })

  test('a spending limit leaves the source as it is', async () => {
    const cookie = await fixture.signIn('u_owen')
    const body = { role: 'member', monthlyNano: '5000000000' }
    expect((await fixture.send('PATCH', place, { cookie, body })).status).toBe(200)
    expect(await memberOfAnn()).toEqual(followed)
  })

  test('the lists say whether groups decide', async () => {
    const source = isDecided ? 'open-id' : 'manual'
    const shown = expect.objectContaining({ userId: 'u_ann', source })
    const [owen, root] = [await fixture.signIn('u_owen'), await fixture.signIn('u_root')]
    const read = <Answer>(path: string, cookie: string) =>
      readJson<Answer>(fixture.get(`${api}${path}`, { cookie }))
    expect((await read<AccountDetail>('/accounts/acme', owen)).members).toContainEqual(shown)
    const detail = await read<OperatorAccountDetail>('/operate/accounts/acme', root)
    expect(detail.members).toContainEqual(shown)
    const user = await read<UserRow>('/operate/users/u_ann', root)
    expect(user.accounts).toContainEqual(expect.objectContaining({ id: 'acme', source }))
  })
})
