import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import {
  type FakeOpenIdProvider,
  startOpenIdProvider,
} from '../../../support/console/open-id-provider.ts'
import { patience } from '../../../support/patience.ts'
import {
  type Browser,
  type Certified,
  type CertifiedProvider,
  startCertifiedProvider,
} from './certified-provider.ts'
import { groups, lastFailure, openSignOnConsole, type SignOnConsole } from './open-id-console.ts'

const rules = { create: 'groups', domains: [], groups } as const
const fresh = '?fresh=true'
const hourSeconds = 3_600

let fixture: SignOnConsole
beforeAll(async () => {
  fixture = await openSignOnConsole()
}, patience(20_000))
afterAll(() => fixture.close())

/** The provider has the clock of this machine. */
function followClock(): void {
  fixture.passTime(Date.now() - fixture.nowMs())
}

/** Whether the session counts as a recent sign-in: what the page is told, and what an operation does. */
async function isFresh(cookie: string | undefined): Promise<boolean> {
  const { user } = await fixture.session(cookie)
  if (!user) throw new Error('nobody is signed in')
  const made = await fixture.post('/console/api/totp/start', { cookie })
  const isTold = user.freshUntil > fixture.nowMs()
  expect([isTold, made.status]).toEqual([isTold, isTold ? 200 : 403])
  return isTold
}

describe('a recent sign-in at a certified provider', () => {
  let provider: CertifiedProvider
  beforeAll(async () => {
    provider = await startCertifiedProvider(`${fixture.url}/console/api/open-id/callback`)
  }, patience(20_000))
  afterAll(() => provider.stop())

  let people = 0
  const open = () => {
    followClock()
    fixture.use(provider.settings('ES256', { rules }))
    people += 1
    const email = `fresh${people}@example.com`
    const person: Certified = { sub: email, email, email_verified: true, groups: ['ai'] }
    const browser: Browser = new Map()
    const arrive = (query?: string, change?: (url: URL) => void, session?: string) => {
      followClock()
      provider.asked.length = 0
      return fixture.arriveBy(
        (location) => {
          const url = new URL(location)
          change?.(url)
          return provider.visit(person, browser)(url.href)
        },
        query,
        session,
      )
    }
    const isAsked = () => provider.asked.some((path) => path.startsWith('/interaction/'))
    return { arrive, isAsked }
  }

  test('is fresh; an hour later the provider still knows the browser, and the session is not', async () => {
    const { arrive, isAsked } = open()
    expect(await isFresh((await arrive()).cookie)).toBe(true)
    expect(isAsked()).toBe(true)
    provider.ageSessions(hourSeconds)
    const later = await arrive()
    expect(isAsked()).toBe(false)
    expect(await isFresh(later.cookie)).toBe(false)
  })

  test('to prove it again, the provider asks the person again', async () => {
    const { arrive, isAsked } = open()
    await arrive()
    provider.ageSessions(hourSeconds)
    const again = await arrive(fresh)
    expect(isAsked()).toBe(true)
    expect(await isFresh(again.cookie)).toBe(true)
  })

  test('the session of the browser before ends with the new one, and no other does', async () => {
    const { arrive } = open()
    const [other, before] = [await arrive(), await arrive()]
    const again = await arrive(fresh, undefined, before.cookie)
    const isOpen = async ({ cookie }: typeof again) => (await fixture.session(cookie)).user !== null
    expect(await Promise.all([again, before, other].map(isOpen))).toEqual([true, false, true])
  })

  test('a refused proof leaves the session of the browser as it was', async () => {
    const { arrive } = open()
    const before = await arrive()
    provider.ageSessions(hourSeconds)
    const drop = (url: URL) => {
      for (const name of ['max_age', 'prompt']) url.searchParams.delete(name)
    }
    expect((await arrive(fresh, drop, before.cookie)).problem).toBe('open-id-stale')
    expect((await fixture.session(before.cookie)).user).not.toBeNull()
  })

  test.each([
    ['without max_age and prompt', ['max_age', 'prompt']],
    ['without prompt', ['prompt']],
    ['without max_age', ['max_age']],
  ] as const)(
    'a request that the browser has changed, %s, makes no old session fresh',
    async (_, names) => {
      const { arrive, isAsked } = open()
      await arrive()
      provider.ageSessions(hourSeconds)
      const { cookie, problem } = await arrive(fresh, (url) => {
        for (const name of names) url.searchParams.delete(name)
      })
      // Each of the two alone makes this provider ask again.
      expect(isAsked()).toBe(names.length === 1)
      if (isAsked()) expect(await isFresh(cookie)).toBe(true)
      else expect([cookie, problem]).toEqual([undefined, 'open-id-stale'])
    },
  )
})

describe('a user who is linked to the provider and has no password', () => {
  let provider: FakeOpenIdProvider
  beforeAll(async () => {
    provider = startOpenIdProvider()
    fixture.use(provider.settings('Our login', { rules: { create: 'off' } }))
    const users = fixture.engine.db
      .updateTable('console_user')
      .where('id', 'in', ['u_bob', 'u_owen'])
    await users.set({ password_hash: null }).execute()
    await users
      .where('id', '=', 'u_bob')
      .set({ open_id: `${provider.issuer} p-bob` })
      .execute()
  })
  afterAll(() => provider.stop())
  const password = 'a long enough password'
  const set = (cookie: string | undefined) =>
    fixture.post('/console/api/password', { cookie, body: { password } })

  test('sets none in an old session: it would confirm itself with it', async () => {
    const cookie = await fixture.signIn('u_bob')
    expect((await fixture.session(cookie)).user).toMatchObject({ hasOpenId: true })
    fixture.passTime(6 * 60_000)
    const refused = await set(cookie)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('"reauthenticate"'),
    ])
    const told = { sub: 'p-bob', email: 'bob@example.com', email_verified: true }
    followClock()
    const auth_time = Math.floor(Date.now() / 1_000)
    const again = await fixture.arriveBy(
      (location) => provider.signIn(location, { ...told, more: { auth_time } }),
      fresh,
    )
    expect((await set(again.cookie)).status).toBe(200)
  })

  test('a user with neither sets one: there is no other way to confirm it', async () => {
    const cookie = await fixture.signIn('u_owen')
    expect((await fixture.session(cookie)).user).toMatchObject({ hasOpenId: false })
    fixture.passTime(6 * 60_000)
    expect((await set(cookie)).status).toBe(200)
  })
})

describe('a provider that says', () => {
  let provider: FakeOpenIdProvider
  beforeAll(() => {
    provider = startOpenIdProvider()
  })
  afterAll(() => provider.stop())
  afterEach(followClock)

  const now = () => Math.floor(Date.now() / 1_000)
  const told = (auth_time: unknown) => ({
    sub: 'p-hostile',
    email: 'hostile@example.com',
    email_verified: true,
    more: { groups: ['ai'], ...(auth_time !== undefined && { auth_time }) },
  })
  const arrive = (auth_time: unknown, query?: string) => {
    followClock()
    fixture.use(provider.settings('Our login', { rules }))
    return fixture.arriveBy((location) => provider.signIn(location, told(auth_time)), query)
  }

  type Said = readonly [name: string, auth_time: () => unknown]
  const lies: readonly Said[] = [
    ['nothing', () => undefined],
    ['an hour ago', () => now() - hourSeconds],
    ['a minute before the person left for the provider', () => now() - 60],
    ['never', () => 0],
    ['next year', () => now() + 365 * 24 * hourSeconds],
  ]
  test.each([
    ['a negative time', () => -now()],
    ['a text', () => String(now())],
    ['a list', () => [now()]],
    ['null', () => null],
  ] as readonly Said[])('%s sends no valid token', async (_, auth_time) => {
    for (const query of ['', fresh]) {
      const { cookie, problem } = await arrive(auth_time(), query)
      expect([cookie, problem]).toEqual([undefined, 'open-id-failed'])
      expect(await lastFailure(fixture)).toBe('open-id-token')
    }
  })

  test.each(lies)('%s does not renew a sign-in', async (_, auth_time) => {
    const { cookie, problem } = await arrive(auth_time(), fresh)
    expect([cookie, problem]).toEqual([undefined, 'open-id-stale'])
    expect(await lastFailure(fixture)).toBe('open-id-stale')
  })

  test.each(lies.filter(([name]) => !name.startsWith('a minute')))(
    '%s signs in, and the session is not fresh',
    async (_, auth_time) => {
      const { cookie } = await arrive(auth_time())
      expect(await isFresh(cookie)).toBe(false)
    },
  )

  test.each([
    ['now', () => now()],
    ['a little earlier, as clocks differ', () => now() - 20],
    ['a little later, as clocks differ', () => now() + 20],
  ] as const)('%s renews the sign-in', async (_, auth_time) => {
    expect(await isFresh((await arrive(auth_time(), fresh)).cookie)).toBe(true)
  })

  test('nothing is trusted if the operator says so, and asked for nothing then', async () => {
    followClock()
    fixture.use(provider.settings('Our login', { rules, reauthentication: 'off' }))
    for (const query of ['', fresh]) {
      const { cookie } = await fixture.arriveBy((location) => {
        const asked = new URL(location).searchParams
        expect([asked.get('max_age'), asked.get('prompt')]).toEqual([null, null])
        return provider.signIn(location, told(undefined))
      }, query)
      expect(await isFresh(cookie)).toBe(true)
    }
  })
})
