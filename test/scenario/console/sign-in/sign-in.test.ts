import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addResetLink } from '../../../../src/accounts/sign-in-link.ts'
import { signInLimits } from '../../../../src/console-api/access/sign-in-throttle.ts'
import {
  csrfHeader,
  type ErrorAnswer,
  type SessionAnswer,
} from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  addressHeader,
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import { patience } from '../../../support/patience.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const api = '/console/api'
let fixture: ConsoleFixture

beforeEach(async () => {
  fixture = await openConsoleFixture()
})
afterEach(() => fixture.close())

async function codeOf(response: Response): Promise<string> {
  return (await readJson<ErrorAnswer>(response)).error.code
}

async function isSignedIn(cookie: string): Promise<boolean> {
  const { user } = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))
  return user !== null
}

describe('a sign-in link', () => {
  test('works once', async () => {
    const token = await fixture.mintLink('u_root')
    const first = await fixture.post(`${api}/sign-in-link`, { body: { token } })
    expect(first.status).toBe(200)
    expect((await readJson<SessionAnswer>(first)).user).toMatchObject({
      email: 'root@example.com',
      role: 'admin',
      hasPassword: false,
    })
    const second = await fixture.post(`${api}/sign-in-link`, { body: { token } })
    expect(second.status).toBe(410)
    expect(second.headers.get('set-cookie')).toBeNull()
    const { error } = await readJson<ErrorAnswer>(second)
    expect(error.code).toBe('link_spent')
    expect(error.message).toContain('tollgate sign-in-link')
  })

  test('opened twice at the same moment signs in once', async () => {
    const token = await fixture.mintLink('u_root')
    const both = await Promise.all(
      [1, 2, 3].map(() => fixture.post(`${api}/sign-in-link`, { body: { token } })),
    )
    expect(both.map((each) => String(each.status)).sort()).toEqual(['200', '410', '410'])
  })

  test('is refused after an hour, and is then deleted', async () => {
    const token = await fixture.mintLink('u_root')
    fixture.passTime(hourMs)
    const late = await fixture.post(`${api}/sign-in-link`, { body: { token } })
    expect(await codeOf(late)).toBe('link_spent')
    expect(await fixture.engine.db.selectFrom('sign_in_link').selectAll().execute()).toEqual([])
  })

  test('ends with a suspension, also when the suspension has ended', async () => {
    const root = await fixture.signIn('u_root')
    const token = await fixture.mintLink('u_ann')
    for (const isSuspended of [true, false]) {
      const path = `${api}/operate/users/u_ann`
      const told = await fixture.send('PATCH', path, { cookie: root, body: { isSuspended } })
      expect(told.status).toBe(200)
    }
    const late = await fixture.post(`${api}/sign-in-link`, { body: { token } })
    expect(await codeOf(late)).toBe('link_spent')
  })

  test('is only a hash in the database, and its use is recorded', async () => {
    const token = await fixture.mintLink('u_root')
    const links = await fixture.engine.db.selectFrom('sign_in_link').selectAll().execute()
    expect(JSON.stringify(links)).not.toContain(token)
    await fixture.post(`${api}/sign-in-link`, { body: { token } })
    const audit = await fixture.engine.db.selectFrom('audit').select('action').execute()
    expect(audit).toEqual([{ action: 'user.redeem-sign-in-link' }])
  })
})

describe('a password', () => {
  const wrong = [
    ['a wrong password', { email: 'ann@example.com', password: 'not the password' }],
    ['an unknown email', { email: 'nobody@example.com', password: annPassword }],
    ['a user without a password', { email: 'root@example.com', password: annPassword }],
  ] as const
  for (const [name, body] of wrong) {
    test(`${name} gets the same response`, async () => {
      const response = await fixture.post(`${api}/sign-in`, { body })
      expect(response.status).toBe(401)
      expect(response.headers.get('set-cookie')).toBeNull()
      const { error } = await readJson<ErrorAnswer>(response)
      expect(error.code).toBe('wrong_credentials')
      expect(error.message).toBe('Wrong email or password.')
    })
  }

  test('signs in, however the email is written', async () => {
    const body = { email: ' Ann@Example.COM ', password: annPassword }
    const response = await fixture.post(`${api}/sign-in`, { body })
    expect((await readJson<SessionAnswer>(response)).user?.email).toBe('ann@example.com')
    expect(await isSignedIn(cookieOf(response))).toBe(true)
  })

  test('that is new replaces the old one, ends other sessions and is recorded', async () => {
    const here = await fixture.signIn('u_ann')
    const elsewhere = await fixture.signIn('u_ann')
    const short = await fixture.post(`${api}/password`, {
      cookie: here,
      body: { password: 'short' },
    })
    expect(short.status).toBe(400)
    const password = 'a wholly new password'
    await fixture.post(`${api}/password`, { cookie: here, body: { password } })
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false])
    const email = 'ann@example.com'
    const old = await fixture.post(`${api}/sign-in`, { body: { email, password: annPassword } })
    const renewed = await fixture.post(`${api}/sign-in`, { body: { email, password } })
    expect([old.status, renewed.status]).toEqual([401, 200])
    const audit = await fixture.engine.db.selectFrom('audit').selectAll().execute()
    expect(audit.map((row) => row.action)).toContain('user.set-password')
    expect(JSON.stringify(audit)).not.toContain(password)
  })

  test('that is new ends the unused links: somebody else may have them', async () => {
    const here = await fixture.signIn('u_ann')
    const link = await fixture.mintLink('u_ann')
    const { engine, vault } = fixture
    const nowMs = fixture.nowMs()
    const request = { userId: 'u_ann', vault, random: systemRandom, nowMs }
    const token = await write(engine, nowMs, ({ tx }) => addResetLink(tx, request))
    const body = { password: 'a wholly new password' }
    expect((await fixture.post(`${api}/password`, { cookie: here, body })).status).toBe(200)
    const reset = { token, password: 'of another person' }
    expect((await fixture.post(`${api}/password-reset`, { body: reset })).status).toBe(410)
    const opened = await fixture.post(`${api}/sign-in-link`, { body: { token: link } })
    expect(opened.status).toBe(410)
  })
})

describe('guessing', () => {
  const bob = { email: 'bob@example.com', password: annPassword }
  const wrong = { ...bob, password: 'guess' }
  const { perPair, perUser, perDevice } = signInLimits
  /** The address of a guessing stranger, and that of the user. */
  const [there, here] = ['203.0.113.9', '198.51.100.7']
  const tryFrom = async (address: string, body: object, cookie?: string) => {
    const headers = { [addressHeader]: address }
    return fixture.post(`${api}/sign-in`, { body, headers, cookie })
  }
  const deviceOf = (response: Response) =>
    response.headers
      .getSetCookie()
      .find((each) => each.startsWith('tollgate_device='))
      ?.split(';')[0] ?? ''

  test(
    'at one email is limited by address, and allowed again after a while',
    async () => {
      for (let count = 0; count < perPair.burst; count += 1) {
        expect((await tryFrom(there, wrong)).status).toBe(401)
      }
      const refused = await tryFrom(there, bob)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBe(perPair.refillMs / 1000)
      // Neither the user at another address nor another user at the same address is locked out.
      expect((await tryFrom(here, bob)).status).toBe(200)
      const ann = { email: 'ann@example.com', password: annPassword }
      expect((await tryFrom(there, ann)).status).toBe(200)
      fixture.passTime(perPair.refillMs)
      expect((await tryFrom(there, bob)).status).toBe(200)
    },
    patience(120_000),
  )

  test(
    'from many addresses is limited, and a known device can still sign in',
    async () => {
      const device = deviceOf(await tryFrom(here, bob))
      expect(device).toMatch(/^tollgate_device=[\w~-]+$/)
      const guesses = Array.from({ length: perUser.burst }, (_, index) => `2001:db8:0:${index}::1`)
      for (const address of guesses) expect((await tryFrom(address, wrong)).status).toBe(401)
      expect((await tryFrom('192.0.2.1', bob)).status).toBe(429)
      expect((await tryFrom('192.0.2.1', bob, device)).status).toBe(200)
      // A mark of another user, a changed mark and an invented mark do not count.
      const ann = { email: 'ann@example.com', password: annPassword }
      const anns = deviceOf(await tryFrom(here, ann))
      const last = device.at(-1) === 'A' ? 'B' : 'A'
      for (const forged of [anns, device.slice(0, -1) + last, 'tollgate_device=x', `${device}~`]) {
        expect((await tryFrom('192.0.2.1', bob, forged)).status).toBe(429)
      }
      // Guessing with the mark is limited, too, and does not use up attempts of others.
      for (let count = 0; count < perDevice.burst; count += 1) {
        expect((await tryFrom(here, wrong, device)).status).toBe(401)
      }
      expect((await tryFrom(here, bob, device)).status).toBe(429)
    },
    patience(240_000),
  )

  test(
    'a device is recognised by a private cookie, until the password changes',
    async () => {
      const response = await tryFrom(here, bob)
      const made = response.headers
        .getSetCookie()
        .find((each) => each.startsWith('tollgate_device'))
      for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/console', 'Max-Age=15552000']) {
        expect(made).toContain(part)
      }
      const device = deviceOf(response)
      const shared = deviceOf(await tryFrom(here, { ...bob, email: 'ann@example.com' }, device))
      // People who share a browser have their marks in one cookie.
      expect(shared).toContain(device.split('=')[1] ?? '-')
      const session = cookieOf(response)
      const password = 'a wholly new password'
      const changed = await fixture.post(`${api}/password`, { cookie: session, body: { password } })
      const renewed = deviceOf(changed)
      for (let count = 0; count < perPair.burst; count += 1) await tryFrom(there, wrong)
      const right = { ...bob, password }
      expect((await tryFrom(there, right, device)).status).toBe(429)
      expect((await tryFrom(there, right, renewed)).status).toBe(200)
      fixture.passTime(181 * dayMs)
      for (let count = 0; count < perPair.burst; count += 1) await tryFrom(there, wrong)
      expect((await tryFrom(there, right, renewed)).status).toBe(429)
    },
    patience(240_000),
  )

  test(
    'a flood waits in a bounded queue, and a known device goes first',
    async () => {
      const device = deviceOf(await tryFrom(here, bob))
      const { runningMax, waitingMax } = signInLimits.hashing
      const flood = Array.from({ length: 4 * (runningMax + waitingMax) }, (_, index) =>
        tryFrom(`2001:db8:1:${index.toString(16)}::1`, { ...wrong, email: `${index}@example.com` }),
      )
      const known = tryFrom(there, bob, device)
      const statuses = (await Promise.all(flood)).map((response) => response.status)
      expect((await known).status).toBe(200)
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(
        runningMax + waitingMax,
      )
      expect(fixture.errors).toEqual([])
    },
    patience(240_000),
  )

  test(
    'at another address does not prevent a session from confirming the identity',
    async () => {
      const cookie = cookieOf(await tryFrom(here, bob))
      for (let count = 0; count < perPair.burst; count += 1) await tryFrom(there, wrong)
      const headers = { [addressHeader]: there }
      const body = { password: annPassword }
      const proved = await fixture.post(`${api}/reauthenticate`, { cookie, body, headers })
      expect(proved.status).toBe(200)
    },
    patience(120_000),
  )

  test('from one address is limited over all emails and links', async () => {
    for (let count = 0; count < signInLimits.perAddress.burst; count += 1) {
      const response = await fixture.post(`${api}/sign-in-link`, { body: { token: `x${count}` } })
      expect(response.status).toBe(410)
    }
    const body = { email: 'ann@example.com', password: annPassword }
    expect((await fixture.post(`${api}/sign-in`, { body })).status).toBe(429)
  })

  test('successful attempts are not counted', async () => {
    for (let count = 0; count < signInLimits.perAddress.burst + 5; count += 1) {
      const body = { token: await fixture.mintLink('u_ann') }
      expect((await fixture.post(`${api}/sign-in-link`, { body })).status).toBe(200)
    }
  })
})

describe('a session', () => {
  test('is a cookie that scripts and other sites cannot use', async () => {
    const body = { token: await fixture.mintLink('u_ann') }
    const cookie = (await fixture.post(`${api}/sign-in-link`, { body })).headers.get('set-cookie')
    expect(cookie).toMatch(/^tollgate_session=[\w-]{43}; /)
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/console', 'Max-Age=2592000']) {
      expect(cookie).toContain(part)
    }
    expect(cookie).not.toContain('Secure')
    const sessions = await fixture.engine.db.selectFrom('session').selectAll().execute()
    expect(JSON.stringify(sessions)).not.toContain(cookie?.slice(17, 60) ?? '')
  })

  test('ends by signing out', async () => {
    const cookie = await fixture.signIn('u_ann')
    const response = await fixture.post(`${api}/sign-out`, { cookie })
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(await isSignedIn(cookie)).toBe(false)
  })

  test('ends after a week without use', async () => {
    const cookie = await fixture.signIn('u_ann')
    fixture.passTime(7 * dayMs)
    expect(await isSignedIn(cookie)).toBe(false)
  })

  test('lasts while it is used, but at most 30 days', async () => {
    const cookie = await fixture.signIn('u_ann')
    for (let day = 0; day < 29; day += 1) {
      fixture.passTime(dayMs)
      expect(await isSignedIn(cookie)).toBe(true)
    }
    fixture.passTime(dayMs)
    expect(await isSignedIn(cookie)).toBe(false)
  })
})

describe('a change from another site', () => {
  const headers: readonly [string, Record<string, string>, number][] = [
    ['without our header', { [csrfHeader]: '' }, 403],
    ['by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from a sibling site', { 'sec-fetch-site': 'same-site' }, 403],
    ['by Origin', { origin: 'https://evil.example' }, 403],
    ['with an opaque origin', { origin: 'null' }, 403],
    ['(not: same origin)', { 'sec-fetch-site': 'same-origin' }, 200],
  ]
  for (const [name, extra, status] of headers) {
    test(`${name} is ${status}`, async () => {
      const cookie = await fixture.signIn('u_ann')
      const response = await fixture.post(`${api}/sign-out`, { cookie, headers: extra })
      expect(response.status).toBe(status)
      expect(await isSignedIn(cookie)).toBe(status === 403)
    })
  }

  test('our own origin is accepted', async () => {
    const cookie = await fixture.signIn('u_ann')
    const response = await fixture.post(`${api}/sign-out`, {
      cookie,
      headers: { origin: fixture.url },
    })
    expect(response.status).toBe(200)
  })
})

describe('a bad body', () => {
  const bodies: readonly [string, string, Record<string, string>, number][] = [
    ['not JSON', '{', {}, 400],
    ['a list', '[]', {}, 400],
    ['a missing field', '{"email":"ann@example.com"}', {}, 400],
    ['a wrong type', '{"email":1,"password":{}}', {}, 400],
    ['a form', 'email=x', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['too large', JSON.stringify({ email: 'x'.repeat(20_000) }), {}, 413],
  ]
  for (const [name, body, headers, status] of bodies) {
    test(`${name} is ${status}`, async () => {
      const response = await fixture.post(`${api}/sign-in`, { body, headers })
      expect(response.status).toBe(status)
      expect(fixture.errors).toEqual([])
    })
  }
})
