import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { noRules, unusedProvider } from '../../../support/console/open-id-provider.ts'
import { makeEmptyFile } from '../../../support/gateway/test-database.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  allRows,
  applied,
  exported,
  type MakePlace,
  openPlace,
  type Place,
} from '../../admin-api/state/state-place.ts'

describe('the file and single sign-on on SQLite', () => provisionTests(makeEmptyFile))
if (postgresServerUrl('the file and single sign-on on Postgres') !== undefined) {
  describe('the file and single sign-on on Postgres', () => provisionTests(freshDatabase))
}

const email = 'nina@example.com'
const followed = { id: 'acme', role: 'owner', source: 'open-id', daily: '5.00' }

function provisionTests(make: MakePlace): void {
  let place: Place
  const memberships = async () => {
    const rows = await place.fixture.engine.db
      .selectFrom('membership')
      .select(['account_id', 'role', 'source', 'daily_nano'])
      .orderBy('account_id')
      .execute()
    return rows.map((row) => Object.values(row).map(String).join(' '))
  }
  const apply = async (accounts: readonly unknown[], more: object = {}) => {
    const { status, body } = await applied(place, { users: [{ email, accounts, ...more }] })
    expect([status, body['warnings']]).toEqual([200, []])
  }

  beforeAll(async () => {
    const groups = [{ group: 'ai', account: 'acme', role: 'owner' as const }]
    place = await openPlace(make, unusedProvider({ ...noRules, groups }))
    const accounts = ['acme', 'beta', 'gamma'].map((id) => ({ id }))
    expect((await applied(place, { accounts })).status).toBe(200)
  })
  afterAll(() => place.close())

  const steps: readonly [name: string, go: () => Promise<void>, rows: readonly string[]][] = [
    [
      'a new user gets both kinds of memberships',
      () => apply([followed, { id: 'beta', role: 'viewer' }], { source: 'open-id' }),
      ['acme owner open-id 5000000000', 'beta viewer manual null'],
    ],
    [
      'a list without the membership does not end it',
      () => apply([]),
      ['acme owner open-id 5000000000'],
    ],
    [
      'only the limits of a membership that follows groups are taken',
      () => apply([{ ...followed, role: 'viewer', daily: '7.00' }]),
      ['acme owner open-id 7000000000'],
    ],
    [
      'the file does not create a membership that follows groups for an existing user',
      () => apply([followed, { ...followed, id: 'gamma' }]),
      ['acme owner open-id 5000000000'],
    ],
  ]
  for (const [name, go, rows] of steps) {
    test(name, async () => {
      await go()
      expect(await memberships()).toEqual([...rows])
    })
  }

  test('an export has the sources, and applying it changes nothing', async () => {
    const text = await exported(place)
    expect(JSON.parse(text).users).toMatchObject([
      { email, source: 'open-id', accounts: [{ id: 'acme', role: 'owner', source: 'open-id' }] },
    ])
    const before = await allRows(place.fixture.engine)
    expect((await applied(place, text)).status).toBe(200)
    expect(await allRows(place.fixture.engine)).toEqual(before)
    const other = await openPlace(make)
    expect((await applied(other, text)).status).toBe(200)
    expect(await exported(other)).toBe(text)
    await other.close()
  })

  test('the admin API shows the source, and accepts what it has returned', async () => {
    const { fixture, token } = place
    const list = await fixture.admin(token, 'GET', '/users?search=nina')
    const { users } = (await list.json()) as { users: { id: string; accounts: unknown[] }[] }
    const [user] = users
    expect(user).toMatchObject({ source: 'open-id', accounts: [{ source: 'open-id' }] })
    const path = `/users/${user?.id}`
    const before = await memberships()
    const same = { accounts: user?.accounts }
    expect((await fixture.admin(token, 'PATCH', path, { body: same })).status).toBe(200)
    const none = await fixture.admin(token, 'PATCH', path, { body: { accounts: [] } })
    expect([none.status, await none.text()]).toEqual([
      409,
      expect.stringContaining('member_open_id'),
    ])
    expect(await memberships()).toEqual(before)
  })

  test('a membership without a source in the file is set by the file', async () => {
    // The account keeps an owner.
    const other = 'acme owner manual null'
    const owner = { email: 'olga@example.com', accounts: [{ id: 'acme', role: 'owner' }] }
    expect((await applied(place, { users: [owner] })).status).toBe(200)
    await apply([{ id: 'acme', role: 'viewer' }])
    expect((await memberships()).sort()).toEqual([other, 'acme viewer manual 5000000000'])
    await apply([])
    expect(await memberships()).toEqual([other])
  })
}
