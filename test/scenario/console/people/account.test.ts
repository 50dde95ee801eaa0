import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { totpCode } from '../../../../src/accounts/totp.ts'
import type {
  AccountDetail,
  ErrorAnswer,
  MemberAdded,
  SessionAnswer,
  SessionsAnswer,
  TotpConfirmed,
  TotpStart,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'

const api = '/console/api'
const minuteMs = 60_000

let fixture: ConsoleFixture
const send = (method: string, path: string, cookie: string, body: unknown = {}) =>
  fixture.send(method, `${api}${path}`, { cookie, body })
const codeOf = async (response: Promise<Response>) =>
  (await readJson<ErrorAnswer>(response)).error.code

describe('members', () => {
  beforeAll(async () => {
    fixture = await openConsoleFixture()
  })
  afterAll(() => fixture.close())

  test('are added, changed and removed by an owner', async () => {
    const owen = await fixture.signIn('u_owen')
    const changes = fixture.engine.db.selectFrom('audit').select(['seq', 'actor', 'action'])
    const last = await changes.orderBy('seq', 'desc').limit(1).executeTakeFirst()
    const added = await readJson<MemberAdded>(
      send('POST', '/accounts/acme/members', owen, { email: 'Zoe@x.org', role: 'viewer' }),
    )
    expect(added.member).toMatchObject({ email: 'zoe@x.org', role: 'viewer', hasSignedIn: false })
    const token = added.invitationUrl?.split('#')[1]
    const zoe = cookieOf(await fixture.post(`${api}/invitation`, { body: { token } }))
    const make = () => send('POST', '/keys', zoe, { accountId: 'acme' })
    expect(await codeOf(make())).toBe('not_allowed')
    const place = `/accounts/acme/members?user=${added.member.userId}`
    await send('PATCH', place, owen, { role: 'member' })
    expect(await codeOf(make())).toBe('invalid_request')
    expect(await codeOf(send('PATCH', place, zoe, { role: 'owner' }))).toBe('not_allowed')
    await send('DELETE', place, owen)
    expect(await codeOf(make())).toBe('not_signed_in')
    const audit = await changes
      .where('subject', '=', 'acme')
      .where('seq', '>', last?.seq ?? 0)
      .orderBy('seq')
      .execute()
    expect(audit.map((row) => `${row.actor} ${row.action}`)).toEqual([
      'u_owen member.invited',
      'u_owen member.changed',
      'u_owen member.removed',
    ])
  })

  test('a member added by an administrator gets a sign-in link only without an existing login', async () => {
    const root = await fixture.signIn('u_root')
    const add = (email: string) =>
      send('POST', '/accounts/acme/members', root, { email, role: 'viewer' })
    const known = await readJson<MemberAdded>(add('new@example.com'))
    expect(known).toMatchObject({ signInUrl: null, invitationUrl: null })
    expect(known.member).toMatchObject({ userId: 'u_new', isProven: true })
    expect(await codeOf(add('new@example.com'))).toBe('conflict')
    const fresh = await readJson<MemberAdded>(add('fresh@example.com'))
    expect(fresh).toMatchObject({ invitationUrl: null, member: { isProven: true } })
    const token = fresh.signInUrl?.split('#')[1]
    expect((await fixture.post(`${api}/sign-in-link`, { body: { token } })).status).toBe(200)
    for (const { member } of [known, fresh]) {
      await send('DELETE', `/accounts/acme/members?user=${member.userId}`, root)
    }
  })

  test('always include an owner', async () => {
    const owen = await fixture.signIn('u_owen')
    const place = '/accounts/acme/members?user=u_owen'
    expect(await codeOf(send('DELETE', place, owen))).toBe('in_use')
    expect(await codeOf(send('PATCH', place, owen, { role: 'viewer' }))).toBe('in_use')
    const account = await readJson<AccountDetail>(
      fixture.get(`${api}/accounts/acme`, { cookie: owen }),
    )
    expect(account).toMatchObject({ name: 'Acme Robotics', yourRole: 'owner' })
    expect(account.members.map(({ userId, role }) => [userId, role])).toEqual([
      ['u_ann', 'member'],
      ['u_owen', 'owner'],
      ['u_vera', 'viewer'],
    ])
  })
})

describe('a person', () => {
  beforeEach(async () => {
    fixture = await openConsoleFixture()
  })
  afterEach(() => fixture.close())

  test.each(['u_ann', 'u_vera'])('leaves an account: %s', async (userId) => {
    const cookie = await fixture.signIn(userId)
    if (userId === 'u_ann') await send('POST', '/keys', cookie, { accountId: 'acme' })
    const leave = (user: string) => send('DELETE', `/accounts/acme/members?user=${user}`, cookie)
    const values = () =>
      fixture.engine.db
        .selectFrom('api_key')
        .select('stopped')
        .where('owner_user_id', '=', userId)
        .execute()
    const keys = await values()
    expect(await codeOf(leave('u_owen'))).toBe('not_allowed')
    expect(await codeOf(leave(userId === 'u_ann' ? 'u_vera' : 'u_ann'))).toBe('not_allowed')
    expect(await codeOf(send('DELETE', '/accounts/acme/members', cookie))).toBe('not_allowed')
    const elsewhere = `/accounts/globex/members?user=${userId}`
    expect(await codeOf(send('DELETE', elsewhere, cookie))).toBe('not_found')
    const change = send('PATCH', `/accounts/acme/members?user=${userId}`, cookie, { role: 'owner' })
    expect(await codeOf(change)).toBe('not_allowed')
    expect((await leave(userId)).status).toBe(200)
    expect(await codeOf(leave(userId))).toBe('not_found')
    expect(await values()).toEqual(keys.map(() => ({ stopped: 1 })))
    const { accounts } = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))
    expect(accounts.map(({ id }) => id)).not.toContain('acme')
  })

  test('chooses language and theme, on every device', async () => {
    const ann = await fixture.signIn('u_ann')
    await send('PATCH', '/me', ann, { language: 'zh', theme: 'dark' })
    await send('PATCH', '/me', ann, { theme: null })
    const other = await fixture.signIn('u_ann')
    const { user } = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie: other }))
    expect(user).toMatchObject({ language: 'zh', theme: null })
    expect(await codeOf(send('PATCH', '/me', ann, { theme: 'plaid' }))).toBe('invalid_request')
  })

  test('sees where it is signed in, and ends one session or all others', async () => {
    const headers = { 'user-agent': 'Phone/1.0' }
    const token = await fixture.mintLink('u_ann')
    const phone = cookieOf(await fixture.post(`${api}/sign-in-link`, { body: { token }, headers }))
    const [ann, third, bob] = [
      await fixture.signIn('u_ann'),
      await fixture.signIn('u_ann'),
      await fixture.signIn('u_bob'),
    ]
    const list = async (cookie: string) =>
      (await readJson<SessionsAnswer>(fixture.get(`${api}/sessions`, { cookie }))).sessions
    const sessions = await list(ann)
    expect(sessions).toHaveLength(3)
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
    const onPhone = sessions.find(({ agent }) => agent === 'Phone/1.0')
    expect(onPhone?.address).toBe('127.0.0.1')
    const isIn = async (cookie: string) =>
      (await fixture.get(`${api}/keys`, { cookie })).status === 200
    expect(await codeOf(send('DELETE', `/sessions/${onPhone?.id}`, bob))).toBe('not_found')
    expect(await isIn(phone)).toBe(true)
    await send('DELETE', `/sessions/${onPhone?.id}`, ann)
    expect([await isIn(phone), await isIn(third)]).toEqual([false, true])
    await send('POST', '/sessions/close-others', ann)
    expect([await isIn(third), await isIn(ann), await isIn(bob)]).toEqual([false, true, true])
  })

  test('changes its password only after a recent confirmation of identity', async () => {
    const ann = await fixture.signIn('u_ann')
    fixture.passTime(6 * minuteMs)
    const password = 'another horse battery'
    expect(await codeOf(send('POST', '/password', ann, { password }))).toBe('reauthenticate')
    await send('POST', '/reauthenticate', ann, { password: annPassword })
    expect((await send('POST', '/password', ann, { password })).status).toBe(200)
    // A user without a password sets the first one in the set-up, which may take a while.
    const fresh = await fixture.signIn('u_root')
    fixture.passTime(30 * minuteMs)
    expect((await send('POST', '/password', fresh, { password })).status).toBe(200)
  })
})

describe('an authenticator app', () => {
  let ann: string
  let secret: Buffer
  let recovery: readonly string[]
  const code = () => totpCode(secret, Math.floor(fixture.nowMs() / 30_000))
  const signIn = (more: object = {}) =>
    fixture.post(`${api}/sign-in`, {
      body: { email: 'ann@example.com', password: annPassword, ...more },
    })

  beforeEach(async () => {
    fixture = await openConsoleFixture()
    ann = await fixture.signIn('u_ann')
    const started = await readJson<TotpStart>(send('POST', '/totp/start', ann))
    secret = fromBase32(started.secret)
    expect(started.url).toStartWith('otpauth://totp/Tollgate:ann%40example.com?secret=')
    expect((await signIn()).status).toBe(200)
    expect(await codeOf(send('POST', '/totp/confirm', ann, { code: '000 000' }))).toBe('wrong_code')
    const confirmed = await send('POST', '/totp/confirm', ann, { code: code() })
    recovery = (await readJson<TotpConfirmed>(confirmed)).recoveryCodes
    fixture.passTime(minuteMs)
  })
  afterEach(() => fixture.close())

  test('is required after the password, and each code works once', async () => {
    expect(await codeOf(signIn())).toBe('code_needed')
    expect(await codeOf(signIn({ password: 'wrong', code: code() }))).toBe('wrong_credentials')
    expect(await codeOf(signIn({ code: '123456' }))).toBe('wrong_code')
    expect((await signIn({ code: code() })).status).toBe(200)
    expect(await codeOf(signIn({ code: code() }))).toBe('wrong_code')
    fixture.passTime(30_000)
    expect((await signIn({ code: code() })).status).toBe(200)
    fixture.passTime(10 * minuteMs)
    const cookie = cookieOf(await signIn({ code: code() }))
    fixture.passTime(10 * minuteMs)
    const prove = (more: object) =>
      send('POST', '/reauthenticate', cookie, { password: annPassword, ...more })
    expect(await codeOf(prove({}))).toBe('code_needed')
    expect((await prove({ code: code() })).status).toBe(200)
  })

  test('that is lost can be replaced by recovery codes, each valid once', async () => {
    expect(recovery).toHaveLength(10)
    const [first = '', second = ''] = recovery
    expect((await signIn({ code: first.toUpperCase() })).status).toBe(200)
    expect(await codeOf(signIn({ code: first }))).toBe('wrong_code')
    const removed = await send('POST', '/totp/remove', ann, { code: second })
    expect(removed.status).toBe(200)
    expect((await signIn()).status).toBe(200)
    const row = await fixture.engine.db
      .selectFrom('console_user')
      .selectAll()
      .where('id', '=', 'u_ann')
      .executeTakeFirstOrThrow()
    expect([row.totp_sealed, row.recovery_hashes]).toEqual([null, '[]'])
  })

  test('is encrypted in the database, and its codes are hashes', async () => {
    const rows = await fixture.engine.db.selectFrom('console_user').selectAll().execute()
    const audit = await fixture.engine.db.selectFrom('audit').selectAll().execute()
    const text = JSON.stringify([rows, audit])
    for (const each of [...recovery, secret.toString('base64url')]) {
      expect(text).not.toContain(each)
    }
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
