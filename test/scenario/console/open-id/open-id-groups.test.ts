import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { OpenIdRules } from '../../../../src/accounts/definition/open-id.ts'
import { membersMax } from '../../../../src/accounts/member-store.ts'
import { openKeyDirectory } from '../../../../src/keys/key-directory.ts'
import { changesAfter, latestChange } from '../../../../src/store/changes/changes.ts'
import { insertAll } from '../../../../src/store/rows/in-slices.ts'
import type { ProviderUser } from '../../../support/console/open-id-provider.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  domains,
  groups,
  inGroups,
  type OpenIdConsole,
  openOpenIdConsole,
  person,
} from './open-id-console.ts'

describe('single sign-on on SQLite', () => openIdTests())
if (postgresServerUrl('single sign-on on Postgres') !== undefined) {
  describe('single sign-on on Postgres', () => openIdTests(freshDatabase))
}

const api = '/console/api'

function openIdTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let fixture: OpenIdConsole
  let database: FreshDatabase | undefined
  const userOf = (email: string) =>
    fixture.engine.db.selectFrom('console_user').selectAll().where('email', '=', email).execute()

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOpenIdConsole(database?.url)
  }, patience(20_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  }, patience(20_000))
  beforeEach(() => {
    fixture.configure({ rules: { create: 'groups', groups } })
    fixture.errors.length = 0
  })

  const unstorable: readonly [name: string, told: Partial<ProviderUser>, problem: string][] = [
    ['a subject that is too long', { sub: 'x'.repeat(256) }, 'open-id-failed'],
    ['a subject with a null character', { sub: 'a\u0000b' }, 'open-id-failed'],
    ['a subject with half of a surrogate pair', { sub: 'a\ud800' }, 'open-id-failed'],
    ['an email that is another one in lower case', { email: '\u212aate@x.org' }, 'open-id-email'],
    ['an email with a null character', { email: 'a\u0000b@example.com' }, 'open-id-email'],
  ]
  for (const [name, wrong, problem] of unstorable) {
    test(`${name} is refused before the database sees it`, async () => {
      const told = { ...person(inGroups('ai')), ...wrong }
      expect(await fixture.arrive(told)).toEqual({ cookie: undefined, problem })
    })
  }

  const modes: readonly [name: string, rules: Partial<OpenIdRules>][] = [
    ['off', { create: 'off', groups }],
    ['domains', { create: 'domains', domains, groups }],
    ['groups', { create: 'groups', groups }],
    ['groups of domains', { create: 'groups', domains, groups }],
  ]
  const problems = {
    none: undefined,
    unknown: 'open-id-unknown',
    email: 'open-id-email',
    domain: 'open-id-domain',
    group: 'open-id-group',
  } as const
  type Outcome = keyof typeof problems
  const newcomers: readonly [
    name: string,
    told: () => ProviderUser,
    outcomes: readonly [off: Outcome, domains: Outcome, groups: Outcome, both: Outcome],
  ][] = [
    ['domain and group', () => person(inGroups('ai')), ['unknown', 'none', 'none', 'none']],
    ['domain only', () => person(inGroups()), ['unknown', 'none', 'group', 'group']],
    ['group only', () => person(inGroups('ai'), 'x.org'), ['unknown', 'domain', 'none', 'domain']],
    ['neither', () => person(inGroups('other'), 'x.org'), ['unknown', 'domain', 'group', 'domain']],
    [
      'a group without an account',
      () => person(inGroups('ghosts')),
      ['unknown', 'none', 'group', 'group'],
    ],
    [
      'a subdomain',
      () => person(inGroups('ai'), 'a.example.com'),
      ['unknown', 'domain', 'none', 'domain'],
    ],
    [
      'a longer domain',
      () => person(inGroups('ai'), 'notexample.com'),
      ['unknown', 'domain', 'none', 'domain'],
    ],
    [
      'a domain in upper case',
      () => person(inGroups('ai'), 'EXAMPLE.Com'),
      ['unknown', 'none', 'none', 'none'],
    ],
    [
      'a domain in Unicode',
      () => person(inGroups('ai'), 'bücher.example'),
      ['unknown', 'none', 'none', 'none'],
    ],
    [
      'a similar domain',
      () => person(inGroups('ai'), 'ｅxample.com'),
      ['unknown', 'domain', 'none', 'domain'],
    ],
    [
      'two @',
      () => ({ ...person(inGroups('ai')), email: 'a@example.com@x.org' }),
      ['email', 'email', 'email', 'email'],
    ],
    [
      'a space',
      () => ({ ...person(inGroups('ai')), email: 'a b@example.com' }),
      ['email', 'email', 'email', 'email'],
    ],
    [
      'an unverified address',
      () => ({ ...person(inGroups('ai')), email_verified: false }),
      ['email', 'email', 'email', 'email'],
    ],
    [
      'no email_verified',
      () => {
        const { email_verified: _, ...told } = person(inGroups('ai'))
        return told
      },
      ['email', 'email', 'email', 'email'],
    ],
    [
      '“true” as text',
      () => ({ ...person({ ...inGroups('ai'), email_verified: 'true' }) }),
      ['email', 'email', 'email', 'email'],
    ],
    [
      'no address',
      () => ({ sub: 'nobody', more: inGroups('ai') }),
      ['email', 'email', 'email', 'email'],
    ],
  ]
  for (const [at, [mode, rules]] of modes.entries()) {
    for (const [name, tell, outcomes] of newcomers) {
      const outcome = outcomes[at] ?? 'none'
      test(`create: ${mode}, ${name}: ${outcome}`, async () => {
        fixture.configure({ rules })
        const told = tell()
        const { cookie, problem } = await fixture.arrive(told)
        expect(problem).toBe(problems[outcome])
        const email = told.email?.toLowerCase() ?? ''
        const users = await userOf(email)
        expect(users.length).toBe(outcome === 'none' ? 1 : 0)
        expect(cookie === undefined).toBe(outcome !== 'none')
        if (outcome !== 'none') return
        expect(users[0]).toMatchObject({
          role: 'member',
          source: 'open-id',
          proof: 'open-id',
          password_hash: null,
          suspended: 0,
        })
        const isIn = JSON.stringify(told.more).includes('"ai"')
        expect(await fixture.membershipsOf(email)).toEqual(isIn ? { acme: 'member open-id' } : {})
        const { user, accounts } = await fixture.session(cookie)
        expect([user?.email, accounts.map(({ id }) => id)]).toEqual([email, isIn ? ['acme'] : []])
      })
    }
  }

  test('each sign-in adds, changes and ends memberships, and the log says so', async () => {
    const told = person(inGroups('ai'))
    const { email } = told
    await fixture.arrive(told)
    const steps: readonly [readonly string[], Readonly<Record<string, string>>][] = [
      [['ai', 'ai-leads'], { acme: 'owner open-id' }],
      [['ai', 'research'], { acme: 'member open-id', globex: 'viewer open-id' }],
      [['ai', 'research'], { acme: 'member open-id', globex: 'viewer open-id' }],
      [['research', 'RESEARCH', 'AI'], { globex: 'viewer open-id' }],
    ]
    for (const [names, memberships] of steps) {
      expect((await fixture.arrive({ ...told, more: inGroups(...names) })).problem).toBeUndefined()
      expect(await fixture.membershipsOf(email)).toEqual(memberships)
    }
    const [user] = await userOf(email)
    const rows = await fixture.engine.db
      .selectFrom('audit')
      .select(['action', 'subject', 'after'])
      .where('actor', '=', 'open-id')
      .orderBy('seq')
      .execute()
    const own = rows.filter(({ after }) => after?.includes(user?.id ?? '-'))
    expect(own.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'member.added acme',
      'member.changed acme',
      'member.changed acme',
      'member.added globex',
    ])
    const ended = rows.filter(({ action }) => action === 'member.removed')
    expect(ended.map(({ subject }) => subject)).toContain('acme')
  })

  test('a person without a group loses the memberships, the keys and the sessions', async () => {
    const told = person(inGroups('ai'))
    const { cookie } = await fixture.arrive(told)
    const made = await fixture.post(`${api}/keys`, {
      cookie,
      body: { accountId: 'acme', name: 'mine', groups: ['default'] },
    })
    const { value } = (await made.json()) as { value: string }
    // Another replica, which has the key in memory.
    const directory = await openKeyDirectory(fixture.engine, fixture.vault)
    const seq = await latestChange(fixture.engine.db)
    expect((await directory.find(value))?.accountId).toBe('acme')
    const gone = await fixture.arrive({ ...told, more: inGroups() })
    expect(gone).toEqual({ cookie: undefined, problem: 'open-id-group' })
    expect(await fixture.membershipsOf(told.email)).toEqual({})
    await directory.apply(await changesAfter(fixture.engine.db, seq))
    expect(await directory.find(value)).toBeUndefined()
    expect((await fixture.session(cookie)).user).toBeNull()
    // The group is back: a membership, but not the value of the key.
    expect((await fixture.arrive(told)).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({ acme: 'member open-id' })
    expect(await directory.find(value)).toBeUndefined()
  })

  test('without “groups” a person without a group may still sign in', async () => {
    const told = person(inGroups('ai'))
    await fixture.arrive(told)
    fixture.configure({ rules: { create: 'domains', domains, groups } })
    expect((await fixture.arrive({ ...told, more: inGroups() })).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({})
  })

  test('memberships set by hand stay unchanged, also in an account of a group', async () => {
    const told = { sub: 'bob', email: 'bob@example.com', email_verified: true }
    const { db } = fixture.engine
    const before = await fixture.membershipsOf(told.email)
    expect(before).toEqual({ globex: 'owner manual' })
    await fixture.arrive({ ...told, more: inGroups('research', 'ai-leads') })
    expect(await fixture.membershipsOf(told.email)).toEqual({ ...before, acme: 'owner open-id' })
    // A user that was created here may sign in without a group.
    expect((await fixture.arrive({ ...told, more: inGroups() })).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual(before)
    const bob = await db
      .selectFrom('console_user')
      .select('source')
      .where('id', '=', 'u_bob')
      .execute()
    expect(bob).toEqual([{ source: 'manual' }])
  })

  test('without openIdGroups the memberships stay, and people decide about them', async () => {
    const told = person(inGroups('ai'))
    await fixture.arrive(told)
    fixture.configure({ rules: { create: 'domains', domains } })
    expect((await fixture.arrive({ ...told, more: {} })).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({ acme: 'member manual' })
  })

  test('a mapping that is removed ends its memberships; an unknown account is reported', async () => {
    const told = person(inGroups('ai', 'ghosts'))
    await fixture.arrive(told)
    expect(String(fixture.errors)).toContain('"not-there"')
    fixture.configure({ rules: { create: 'domains', domains, groups: groups.slice(2) } })
    await fixture.arrive(told)
    expect(await fixture.membershipsOf(told.email)).toEqual({})
  })

  test('sign-ins at the same time create one user', async () => {
    const told = person(inGroups('ai', 'research'))
    const arrived = await Promise.all(Array.from({ length: 8 }, () => fixture.arrive(told)))
    expect(arrived.map(({ problem }) => problem)).toEqual(Array(8).fill(undefined))
    expect(await userOf(told.email)).toHaveLength(1)
    expect(await fixture.membershipsOf(told.email)).toEqual({
      acme: 'member open-id',
      globex: 'viewer open-id',
    })
    expect(fixture.errors).toEqual([])
  })

  test('another identity does not get a user by its address, and a disabled user stays so', async () => {
    const told = person(inGroups('ai'))
    await fixture.arrive(told)
    const taken = await fixture.arrive({ ...told, sub: 'thief', more: inGroups('ai-leads') })
    expect(taken).toEqual({ cookie: undefined, problem: 'open-id-taken' })
    // An identity whose address changes to that of another user keeps its own user.
    const moved = person(inGroups('ai'))
    await fixture.arrive(moved)
    const { cookie } = await fixture.arrive({ ...moved, email: told.email })
    expect((await fixture.session(cookie)).user?.email).toBe(moved.email)
    await fixture.engine.db
      .updateTable('console_user')
      .set({ suspended: 1 })
      .where('email', '=', told.email)
      .execute()
    expect((await fixture.arrive({ ...told, more: inGroups('ai-leads') })).cookie).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({ acme: 'member open-id' })
    expect(await userOf(told.email)).toMatchObject([{ suspended: 1 }])
  })

  test('people cannot change memberships that follow groups, and can change all others', async () => {
    const auth_time = Math.floor(fixture.nowMs() / 1_000)
    const told = person({ ...inGroups('ai'), auth_time })
    const { cookie } = await fixture.arrive(told)
    const [user] = await userOf(told.email)
    const id = user?.id ?? ''
    const owner = await fixture.signIn('u_owen')
    const root = await fixture.signIn('u_root')
    const member = `${api}/accounts/acme/members?user=${id}`
    const login = `${api}/operate/users/${id}`
    const acme = { id: 'acme', role: 'member' }
    const tries: readonly [string, string, string | undefined, unknown, number][] = [
      ['PATCH', member, owner, { role: 'viewer' }, 409],
      ['PATCH', member, root, { role: 'viewer' }, 409],
      ['DELETE', member, owner, {}, 409],
      ['DELETE', member, root, {}, 409],
      ['DELETE', member, cookie, {}, 409],
      ['PATCH', login, root, { accounts: [] }, 409],
      ['PATCH', login, root, { accounts: [{ ...acme, role: 'owner' }] }, 409],
      ['PATCH', login, root, { accounts: [acme, { id: 'globex', role: 'member' }] }, 200],
      ['PATCH', member, owner, { role: 'member', dailyNano: '1000000' }, 200],
      ['POST', `${api}/password`, cookie, { password: 'a long enough password' }, 409],
      ['POST', `${api}/passkeys/start`, cookie, {}, 409],
    ]
    for (const [method, path, by, body, status] of tries) {
      const response = await fixture.send(method, path, { cookie: by, body })
      const text = await response.text()
      expect([method, path, response.status, text]).toEqual([
        method,
        path,
        status,
        expect.any(String),
      ])
      if (status === 409) expect(text).toMatch(/"(member|sign_in)_open_id"/)
    }
    expect(await fixture.membershipsOf(told.email)).toEqual({
      acme: 'member open-id',
      globex: 'member manual',
    })
    const shown = await (await fixture.get(`${api}/accounts/acme`, { cookie: owner })).json()
    const { members } = shown as { members: { userId: string; source: string }[] }
    expect(members.find(({ userId }) => userId === id)?.source).toBe('open-id')
    expect(members.find(({ userId }) => userId === 'u_owen')?.source).toBe('manual')
    // Suspending and deleting are the ways to stop a person at once.
    expect(
      (await fixture.send('PATCH', login, { cookie: root, body: { isSuspended: true } })).status,
    ).toBe(200)
    expect((await fixture.send('DELETE', login, { cookie: root })).status).toBe(200)
  })

  test('an account can lose its last owner: the provider decides', async () => {
    const told = person(inGroups('boss'))
    const boss = [{ group: 'boss', account: 'empty', role: 'owner' }] as const
    fixture.configure({ rules: { create: 'groups', groups: boss } })
    await fixture.arrive(told)
    expect(await fixture.membershipsOf(told.email)).toEqual({ empty: 'owner open-id' })
    expect((await fixture.arrive({ ...told, more: inGroups() })).problem).toBe('open-id-group')
    expect(await fixture.membershipsOf(told.email)).toEqual({})
  })

  test('an account without room gets no further member; the person still signs in', async () => {
    const { db } = fixture.engine
    const people = Array.from({ length: membersMax }, (_, at) => `crowd-${at}`)
    const user = { password_hash: null, role: 'member', created_at: 1 }
    const users = people.map((id) => ({ ...user, id, email: `${id}@x.org` }))
    await insertAll(users, (rows) => db.insertInto('console_user').values(rows).execute())
    const members = people.map((id) => ({ user_id: id, account_id: 'empty' }))
    await insertAll(members, (rows) => db.insertInto('membership').values(rows).execute())
    const crowd = [{ group: 'ai', account: 'empty', role: 'member' }] as const
    fixture.configure({ rules: { create: 'groups', groups: crowd } })
    const told = person(inGroups('ai'))
    expect((await fixture.arrive(told)).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({})
    expect(String(fixture.errors)).toContain('"empty" is full')
  })

  test('an invited person may sign in, whatever the groups say', async () => {
    const told = person(inGroups('research'))
    const owner = await fixture.signIn('u_owen')
    const body = { email: told.email, role: 'member' }
    await fixture.post(`${api}/accounts/acme/members`, { cookie: owner, body })
    expect((await fixture.arrive(told)).problem).toBeUndefined()
    const both = { acme: 'member manual', globex: 'viewer open-id' }
    expect(await fixture.membershipsOf(told.email)).toEqual(both)
    expect((await fixture.arrive({ ...told, more: inGroups() })).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({ acme: 'member manual' })
  })

  test('the gateway requests the scopes of the settings', async () => {
    fixture.configure({ scopes: ['groups', 'email', 'offline_access'] })
    const response = await fixture.get(`${api}/open-id/start`)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.searchParams.get('scope')).toBe('openid email groups offline_access')
  })
}
