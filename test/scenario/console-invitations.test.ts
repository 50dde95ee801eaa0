import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { totpCode } from '../../src/accounts/totp.ts'
import { putUser } from '../../src/accounts/user-store.ts'
import type {
  AccountDetail,
  ErrorAnswer,
  MemberAdded,
  SessionAnswer,
  TotpStart,
  UserRow,
  UsersAnswer,
  UserVouched,
  UserWithLink,
} from '../../src/console-api/contract.ts'
import type { OpenIdPerson, OpenIdProvider } from '../../src/console-api/open-id-provider.ts'
import { systemRandom } from '../../src/core/id.ts'
import { write } from '../../src/store/write.ts'
import { annPassword } from './console-seed.ts'
import { type ConsoleStage, cookieOf, openConsoleStage, readJson } from './console-stage.ts'

/*
 * An owner invites an address that is not theirs, opens the link, and sets everything that could open a login. What
 * must never happen: that any of it opens more than the inviting account.
 */

const api = '/console/api'
const ops = 'ops@example.com'
const stolen = 'what the inviter chose'
let stage: ConsoleStage
let person: OpenIdPerson

/** Says whoever the test wants. */
const provider: OpenIdProvider = {
  label: 'Our login',
  begin: async () => ({
    url: 'https://login.example.com/',
    trip: { state: 's', nonce: 'n', verifier: 'v' },
  }),
  finish: async () => person,
}

beforeEach(async () => {
  stage = await openConsoleStage({ openId: provider })
})
afterEach(() => stage.close())

const send = (method: string, path: string, cookie: string | undefined, body: unknown = {}) =>
  stage.send(method, `${api}${path}`, { cookie, body })
const codeOf = async (response: Response | Promise<Response>) =>
  (await readJson<ErrorAnswer>(response)).error.code
const sessionOf = (cookie: string | undefined) =>
  readJson<SessionAnswer>(stage.get(`${api}/session`, { cookie }))
const accountsOf = async (cookie: string | undefined) =>
  (await sessionOf(cookie)).accounts.map(({ id, role }) => `${role} of ${id}`)
const signIn = (email: string, password: string, account?: string) =>
  stage.post(`${api}/sign-in`, { body: { email, password, ...(account && { account }) } })

/** Bob owns globex; Owen owns acme. */
const owners = { acme: 'u_owen', globex: 'u_bob' } as const
type Account = keyof typeof owners

async function inviteTo(account: Account, email: string, role = 'member') {
  const cookie = await stage.signIn(owners[account])
  const response = await send('POST', `/accounts/${account}/members`, cookie, { email, role })
  return readJson<MemberAdded>(response)
}

const tokenIn = (url: string | null | undefined) => url?.split('#')[1] ?? ''

async function openInvitation({ invitationUrl }: MemberAdded, cookie?: string) {
  return stage.post(`${api}/invitation`, { cookie, body: { token: tokenIn(invitationUrl) } })
}

/** Everything that an inviter can set while the address is not proven. */
async function takeOver(account: Account, email: string, role?: string) {
  const added = await inviteTo(account, email, role)
  const cookie = cookieOf(await openInvitation(added))
  const set = await send('POST', '/password', cookie, { password: stolen })
  expect(set.status).toBe(200)
  const { secret } = await readJson<TotpStart>(send('POST', '/totp/start', cookie))
  const code = () => totpCode(fromBase32(secret), Math.floor(stage.nowMs() / 30_000))
  expect((await send('POST', '/totp/confirm', cookie, { code: code() })).status).toBe(200)
  stage.passTime(60_000)
  const again = cookieOf(
    await stage.post(`${api}/sign-in`, {
      body: { email, password: stolen, account, code: code() },
    }),
  )
  const { invitationUrl } = await inviteTo(account, email, role)
  return { added, code, cookies: [cookie, again], unusedLink: tokenIn(invitationUrl) }
}

type Taken = Awaited<ReturnType<typeof takeOver>>

/** What the inviter has still opens at most this. */
async function whatOpens(email: string, account: Account, taken: Taken): Promise<string[]> {
  const opened = new Set<string>()
  const note = async (cookie: string) => {
    const { user, accounts } = await sessionOf(cookie)
    if (!user) return
    for (const each of accounts) opened.add(`${each.role} of ${each.id}`)
    if (user.role === 'admin') opened.add('administrator')
  }
  for (const cookie of taken.cookies) await note(cookie)
  for (const place of [undefined, account]) {
    stage.passTime(60_000)
    // A code is not looked at where no app is set up any more.
    const body = { email, password: stolen, code: taken.code(), ...(place && { account: place }) }
    await note(cookieOf(await stage.post(`${api}/sign-in`, { body })))
  }
  const token = taken.unusedLink
  await note(cookieOf(await stage.post(`${api}/sign-in-link`, { body: { token } })))
  await note(cookieOf(await stage.post(`${api}/invitation`, { body: { token } })))
  return [...opened].sort()
}

async function byOpenId(told: OpenIdPerson): Promise<string | undefined> {
  person = told
  const left = await stage.get(`${api}/open-id/start`)
  const response = await stage.get(`${api}/open-id/callback?code=c&state=s`, {
    cookie: cookieOf(left),
  })
  return response.headers
    .getSetCookie()
    .find((each) => each.startsWith('tollgate_session='))
    ?.split(';')[0]
}

async function byFile(role: 'admin' | 'member'): Promise<void> {
  const tools = { random: systemRandom, nowMs: () => stage.nowMs() }
  const settings = { email: ops, role, accountIds: ['empty'], passwordHash: undefined }
  await write(stage.engine, stage.nowMs(), (writing) => putUser(writing, tools, settings))
}

async function invitedUser(email: string): Promise<UserRow> {
  const root = await stage.signIn('u_root')
  const { users } = await readJson<UsersAnswer>(
    stage.get(`${api}/operate/users?search=${encodeURIComponent(email)}`, { cookie: root }),
  )
  const found = users.find((user) => user.proof === null)
  if (!found) throw new Error(`${email} is not invited`)
  return found
}

describe('an address that its inviter has taken over', () => {
  /** Each way in which the address gets a proven owner, and what the inviter can still open afterwards. */
  const ways: readonly [name: string, prove: () => Promise<unknown>, opens: readonly string[]][] = [
    ['nobody proves it', async () => {}, ['member of acme']],
    ['the file names it an administrator', () => byFile('admin'), ['member of acme']],
    ['the file names it a user', () => byFile('member'), ['member of acme']],
    [
      'an administrator makes it an administrator',
      async () => {
        const { id } = await invitedUser(ops)
        const root = await stage.signIn('u_root')
        const edited = await send('PATCH', `/operate/users/${id}`, root, { role: 'admin' })
        expect(await readJson<UserRow>(edited)).toMatchObject({ role: 'admin', proof: 'operator' })
      },
      [],
    ],
    [
      'an administrator gives it another account',
      async () => {
        const { id } = await invitedUser(ops)
        const root = await stage.signIn('u_root')
        const accounts = [{ id: 'globex', role: 'owner' }]
        const edited = await send('PATCH', `/operate/users/${id}`, root, { accounts })
        expect(await readJson<UserRow>(edited)).toMatchObject({ proof: 'operator' })
      },
      [],
    ],
    [
      'an administrator creates a user with it',
      async () => {
        const root = await stage.signIn('u_root')
        const body = { email: ops, role: 'admin', accounts: [] }
        expect((await send('POST', '/operate/users', root, body)).status).toBe(200)
      },
      ['member of acme'],
    ],
    [
      'an administrator vouches for it',
      async () => {
        const { id } = await invitedUser(ops)
        const root = await stage.signIn('u_root')
        expect((await send('POST', `/operate/users/${id}/vouch`, root)).status).toBe(200)
      },
      [],
    ],
    [
      'an administrator adds it to another account',
      async () => {
        const root = await stage.signIn('u_root')
        const body = { email: ops, role: 'owner' }
        expect((await send('POST', '/accounts/globex/members', root, body)).status).toBe(200)
      },
      ['member of acme'],
    ],
    [
      'an administrator adds it to the inviting account',
      async () => {
        const root = await stage.signIn('u_root')
        const body = { email: ops, role: 'owner' }
        expect((await send('POST', '/accounts/acme/members', root, body)).status).toBe(200)
      },
      [],
    ],
    [
      'its owner comes by OpenID',
      async () => {
        const cookie = await byOpenId({ openId: 'i ops', email: ops })
        expect(await accountsOf(cookie)).toEqual(['owner of acme'])
      },
      [],
    ],
    ['another account invites it', () => inviteTo('globex', ops, 'owner'), ['member of acme']],
  ]
  for (const [name, prove, opens] of ways) {
    test(`${name}: the inviter opens ${opens.join() || 'nothing'}`, async () => {
      // Even when the invitation says owner: while the address is not proven, it is worth a member.
      const taken = await takeOver('acme', ops, 'owner')
      await prove()
      expect(await whatOpens(ops, 'acme', taken)).toEqual([...opens])
    })
  }

  test('two accounts invite it: neither inviter gets into the other account', async () => {
    const acme = await takeOver('acme', ops)
    const globex = await takeOver('globex', ops)
    expect(await whatOpens(ops, 'acme', acme)).toEqual(['member of acme'])
    expect(await whatOpens(ops, 'globex', globex)).toEqual(['member of globex'])
    expect(acme.added.member.userId).not.toBe(globex.added.member.userId)
    const cookie = await byOpenId({ openId: 'i ops', email: ops })
    expect(await accountsOf(cookie)).toEqual(['member of acme', 'member of globex'])
    expect(await whatOpens(ops, 'acme', acme)).toEqual([])
    expect(await whatOpens(ops, 'globex', globex)).toEqual([])
  })

  test('no sign-in link is made for it, and none of an earlier version works', async () => {
    const { added } = await takeOver('acme', ops)
    const root = await stage.signIn('u_root')
    const made = send('POST', `/operate/users/${added.member.userId}/sign-in-link`, root)
    expect(await codeOf(made)).toBe('conflict')
    const token = await stage.mintLink(added.member.userId)
    expect(await codeOf(stage.post(`${api}/sign-in-link`, { body: { token } }))).toBe('link_spent')
  })
})

describe('an invited login of an earlier version, which signs in with the plain address', () => {
  const vouch = async () => {
    const root = await stage.signIn('u_root')
    return send('POST', '/operate/users/u_old/vouch', root)
  }
  const ways: readonly [name: string, prove: () => Promise<unknown>][] = [
    ['the file names it', () => byFile('admin')],
    ['an administrator vouches for it', vouch],
    ['its owner comes by OpenID', () => byOpenId({ openId: 'i ops', email: ops })],
    [
      'an administrator creates a user with it',
      async () => {
        const root = await stage.signIn('u_root')
        const body = { email: ops, role: 'admin', accounts: [] }
        return send('POST', '/operate/users', root, body)
      },
    ],
  ]
  for (const [name, prove] of ways) {
    test(`${name}: the password opens the address no more`, async () => {
      const { db } = stage.engine
      const ann = db.selectFrom('console_user').select('password_hash').where('id', '=', 'u_ann')
      const { password_hash } = await ann.executeTakeFirstOrThrow()
      const invited = { email: ops, invited_email: ops, invited_to: 'acme', role: 'member' }
      await db
        .insertInto('console_user')
        .values({ ...invited, id: 'u_old', password_hash, created_at: 1 })
        .execute()
      await db
        .insertInto('membership')
        .values(
          ['acme', 'globex'].map((account_id) => ({ user_id: 'u_old', account_id, role: 'owner' })),
        )
        .execute()
      const cookie = cookieOf(await signIn(ops, annPassword))
      // Of its memberships only that of the inviting account is worth something.
      expect(await accountsOf(cookie)).toEqual(['member of acme'])
      await prove()
      expect((await signIn(ops, annPassword)).status).toBe(401)
      const left = await accountsOf(cookie)
      expect(left.filter((each) => each !== 'member of acme')).toEqual([])
      expect(await codeOf(send('GET', '/operate/users', cookie))).not.toBe('internal_error')
      const proven = db.selectFrom('console_user').select('email').where('email', '=', ops)
      expect(await proven.where('invited_to', 'is', null).execute()).toHaveLength(1)
    })
  }
})

describe('an invitation', () => {
  const addresses = [
    ['an unknown address', 'nobody@x.org', async () => {}],
    ['a proven login', 'new@example.com', async () => {}],
    ['an administrator', 'root@example.com', async () => {}],
    ['an address that another account has invited', ops, () => inviteTo('globex', ops)],
    [
      'a disabled login',
      'new@example.com',
      () =>
        stage.engine.db
          .updateTable('console_user')
          .set({ suspended: 1 })
          .where('id', '=', 'u_new')
          .execute(),
    ],
  ] as const
  for (const [name, email, prepare] of addresses) {
    test(`of ${name} is answered alike, and opens the inviting account only`, async () => {
      await prepare()
      const added = await inviteTo('acme', email.toUpperCase(), 'viewer')
      const { userId } = added.member
      expect(added).toEqual({
        member: {
          userId: expect.stringMatching(/^user_/),
          email,
          role: 'viewer',
          isProven: false,
          isAdmin: false,
          isSuspended: false,
          hasSignedIn: false,
        },
        signInUrl: null,
        invitationUrl: `${stage.url}/console/invitation#${tokenIn(added.invitationUrl)}`,
      })
      const response = await openInvitation(added)
      const session = await readJson<SessionAnswer>(response)
      expect(session.user).toMatchObject({ id: userId, email, role: 'member', invitedTo: 'acme' })
      expect(session.accounts.map(({ id }) => id)).toEqual(['acme'])
      expect(session.invitations).toEqual([])
      const cookie = cookieOf(response)
      await send('POST', '/password', cookie, { password: stolen })
      // Not even the inviter's own password tells whether the address has a login.
      expect((await signIn(email, stolen)).status).toBe(401)
      expect((await signIn(email, stolen, 'acme')).status).toBe(200)
      expect((await signIn(email, stolen, 'globex')).status).toBe(401)
      const owen = await stage.signIn('u_owen')
      const again = send('POST', '/accounts/acme/members', owen, { email, role: 'member' })
      expect(await readJson<MemberAdded>(again)).toMatchObject({
        member: { userId, role: 'member' },
      })
    })
  }

  test('works once, is replaced by a new one, ends after a week and with the membership', async () => {
    const first = await inviteTo('acme', ops)
    const second = await inviteTo('acme', ops)
    expect(await codeOf(openInvitation(first))).toBe('link_spent')
    expect((await openInvitation(second)).status).toBe(200)
    expect(await codeOf(openInvitation(second))).toBe('link_spent')
    const third = await inviteTo('acme', ops)
    stage.passTime(7 * 24 * 3_600_000)
    expect(await codeOf(openInvitation(third))).toBe('link_spent')
    const fourth = await inviteTo('acme', ops)
    const owen = await stage.signIn('u_owen')
    const place = `/accounts/acme/members?user=${fourth.member.userId}`
    expect((await send('DELETE', place, owen)).status).toBe(200)
    expect(await codeOf(openInvitation(fourth))).toBe('link_spent')
    const rows = await stage.engine.db.selectFrom('console_user').select('id').execute()
    expect(rows.map(({ id }) => id)).not.toContain(fourth.member.userId)
  })

  test('waits for whoever has proven the address, who accepts or declines', async () => {
    const added = await inviteTo('acme', 'bob@example.com', 'owner')
    await inviteTo('acme', 'new@example.com')
    const invited = cookieOf(await openInvitation(added))
    const bob = await stage.signIn('u_bob')
    const waiting = { accountId: 'acme', accountName: 'Acme Robotics', role: 'owner' } as const
    expect((await sessionOf(bob)).invitations).toEqual([waiting])
    expect(await codeOf(send('POST', '/invitations/accept', bob, { account: 'empty' }))).toBe(
      'not_found',
    )
    // Neither a stranger nor the invited login itself accepts in the name of the address.
    const ann = await stage.signIn('u_ann')
    for (const cookie of [ann, invited]) {
      expect(await codeOf(send('POST', '/invitations/accept', cookie, { account: 'acme' }))).toBe(
        'not_found',
      )
      expect(await codeOf(send('POST', '/invitations/decline', cookie, { account: 'acme' }))).toBe(
        'not_found',
      )
    }
    const accepted = await send('POST', '/invitations/accept', bob, { account: 'acme' })
    const session = await readJson<SessionAnswer>(accepted)
    expect(session.accounts.map(({ id, role }) => `${role} of ${id}`)).toEqual([
      'owner of acme',
      'owner of globex',
    ])
    expect(session.invitations).toEqual([])
    expect((await sessionOf(invited)).user).toBeNull()
    const fresh = await stage.signIn('u_new')
    const declined = await send('POST', '/invitations/decline', fresh, { account: 'acme' })
    expect(await readJson<SessionAnswer>(declined)).toMatchObject({ invitations: [] })
    const { members } = await readJson<AccountDetail>(
      stage.get(`${api}/accounts/acme`, { cookie: bob }),
    )
    expect(members.map(({ userId }) => userId)).toEqual(['u_ann', 'u_bob', 'u_owen', 'u_vera'])
    const audit = await stage.engine.db.selectFrom('audit').select(['actor', 'action']).execute()
    const lines = audit.map(({ actor, action }) => `${actor} ${action}`)
    expect(lines).toContain('u_bob member.accepted')
    expect(lines).toContain('u_new member.declined')
  })

  test('opened by whoever is signed in with the address joins with that login', async () => {
    const added = await inviteTo('acme', 'bob@example.com')
    const bob = await stage.signIn('u_bob')
    const response = await openInvitation(added, bob)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await accountsOf(bob)).toEqual(['member of acme', 'owner of globex'])
    // With another address it opens the confined login.
    const other = await openInvitation(await inviteTo('acme', ops), bob)
    expect(await accountsOf(cookieOf(other))).toEqual(['member of acme'])
  })

  test('a disabled login neither accepts it nor comes back by OpenID', async () => {
    const users = stage.engine.db.updateTable('console_user')
    await inviteTo('acme', 'new@example.com')
    await users.set({ suspended: 1 }).where('id', '=', 'u_new').execute()
    expect(await byOpenId({ openId: 'i new', email: 'new@example.com' })).toBeUndefined()
    expect(await byOpenId({ openId: 'i x', email: undefined })).toBeUndefined()
  })

  test('does not make an owner of whoever is not proven: the last one cannot leave', async () => {
    const added = await inviteTo('acme', ops, 'owner')
    const invited = cookieOf(await openInvitation(added))
    const owen = await stage.signIn('u_owen')
    expect(await codeOf(send('DELETE', '/accounts/acme/members?user=u_owen', owen))).toBe('in_use')
    expect(await codeOf(send('PATCH', '/accounts/acme', invited, { name: 'x' }))).toBe(
      'not_allowed',
    )
    expect(await codeOf(send('GET', '/accounts/globex', invited))).toBe('not_found')
    expect(await codeOf(send('GET', '/operate/users', invited))).toBe('not_allowed')
  })
})

describe('vouching', () => {
  test('gives a link to whom the administrator trusts, and is recorded', async () => {
    await takeOver('acme', ops, 'owner')
    const { id } = await invitedUser(ops)
    const root = await stage.signIn('u_root')
    const vouched = await readJson<UserVouched>(send('POST', `/operate/users/${id}/vouch`, root))
    expect(vouched.user).toMatchObject({
      id,
      email: ops,
      proof: 'operator',
      invitedTo: null,
      hasPassword: false,
      hasTotp: false,
    })
    const token = tokenIn(vouched.signInUrl)
    const cookie = cookieOf(await stage.post(`${api}/sign-in-link`, { body: { token } }))
    expect(await accountsOf(cookie)).toEqual(['owner of acme'])
    const audit = await stage.engine.db.selectFrom('audit').selectAll().execute()
    expect(audit).toContainEqual(
      expect.objectContaining({ actor: 'u_root', action: 'user.vouched', subject: id }),
    )
    expect(await codeOf(send('POST', `/operate/users/${id}/vouch`, root))).toBe('conflict')
  })

  test('for an address that has a login gives that login the membership, and no link', async () => {
    const taken = await takeOver('acme', 'bob@example.com')
    const { id } = await invitedUser('bob@example.com')
    const root = await stage.signIn('u_root')
    const vouched = await readJson<UserVouched>(send('POST', `/operate/users/${id}/vouch`, root))
    expect(vouched).toMatchObject({ user: { id: 'u_bob' }, signInUrl: null })
    expect(await accountsOf(await stage.signIn('u_bob'))).toEqual([
      'member of acme',
      'owner of globex',
    ])
    expect(await whatOpens('bob@example.com', 'acme', taken)).toEqual([])
    // His own password still is his.
    expect((await signIn('bob@example.com', annPassword)).status).toBe(200)
  })

  test('takes an administrator who has proved lately who they are', async () => {
    const { member } = await inviteTo('acme', ops)
    const path = `/operate/users/${member.userId}/vouch`
    const root = await stage.signIn('u_root')
    stage.passTime(6 * 60_000)
    expect(await codeOf(send('POST', path, root))).toBe('reauthenticate')
    for (const user of ['u_owen', 'u_ann']) {
      expect(await codeOf(send('POST', path, await stage.signIn(user)))).toBe('not_allowed')
    }
  })
})

describe('an administrator who edits an invited login', () => {
  test('without giving it more does not vouch for it', async () => {
    const taken = await takeOver('acme', ops)
    const { id, accounts } = await invitedUser(ops)
    const root = await stage.signIn('u_root')
    const edit = { role: 'member', isSuspended: false, accounts }
    const edited = await readJson<UserRow>(send('PATCH', `/operate/users/${id}`, root, edit))
    expect(edited).toMatchObject({ proof: null, invitedTo: 'acme' })
    expect(await whatOpens(ops, 'acme', taken)).toEqual(['member of acme'])
    await send('PATCH', `/operate/users/${id}`, root, { isSuspended: true })
    expect(await whatOpens(ops, 'acme', taken)).toEqual([])
  })

  test('a new user of the same address is another login, whom the invitation waits for', async () => {
    await takeOver('acme', ops)
    const root = await stage.signIn('u_root')
    const body = { email: ops, role: 'member', accounts: [] }
    const made = await readJson<UserWithLink>(send('POST', '/operate/users', root, body))
    const token = tokenIn(made.signInUrl)
    const cookie = cookieOf(await stage.post(`${api}/sign-in-link`, { body: { token } }))
    const { accounts, invitations } = await sessionOf(cookie)
    expect([accounts, invitations.map(({ accountId }) => accountId)]).toEqual([[], ['acme']])
  })
})

function fromBase32(text: string): Buffer {
  const bits = text
    .split('')
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
