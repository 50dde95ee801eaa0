import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenIdRules } from '../../../../src/accounts/definition/open-id.ts'
import { openKeyDirectory } from '../../../../src/keys/key-directory.ts'
import { changesAfter, latestChange } from '../../../../src/store/changes/changes.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  type Certified,
  type CertifiedProvider,
  clientNames,
  lifeSeconds,
  type ProviderFault,
  startCertifiedProvider,
} from './certified-provider.ts'
import {
  domains,
  groups,
  lastFailure,
  openSignOnConsole,
  type SignOnConsole,
} from './open-id-console.ts'

/** The test's provider closes silent connections after 10 s, and the client would then retry. */
const waitMs = Math.min(patience(500), 5_000)

describe('a certified identity provider on SQLite', () => certifiedTests())
if (postgresServerUrl('a certified identity provider on Postgres') !== undefined) {
  describe('a certified identity provider on Postgres', () => certifiedTests(freshDatabase))
}

let people = 0
function someone(more: Partial<Certified> = {}): Certified {
  people += 1
  const email = `c${people}@example.com`
  return { sub: `c-${people}`, email, email_verified: true, groups: ['ai'], ...more }
}

const byGroups: OpenIdRules = { create: 'groups', domains: [], groups }

function certifiedTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let fixture: SignOnConsole
  let provider: CertifiedProvider
  let database: FreshDatabase | undefined

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openSignOnConsole(database?.url)
    provider = await startCertifiedProvider(`${fixture.url}/console/api/open-id/callback`)
  }, patience(20_000))
  afterAll(async () => {
    await fixture.close()
    await provider.stop()
    await database?.drop()
  }, patience(20_000))
  afterEach(() => {
    provider.faults.clear()
    provider.before.clear()
    provider.change({})
  })

  const begin = (rules = byGroups) => {
    fixture.use(provider.settings('ES256', { rules }))
    provider.asked.length = 0
  }
  const arrive = (person: Certified | 'denies') => fixture.arriveBy(provider.visit(person))
  const countUsers = async (email: string) =>
    (
      await fixture.engine.db
        .selectFrom('console_user')
        .where('email', '=', email)
        .select('id')
        .execute()
    ).length
  /** The sign-in is refused, no user is created, and the audit log has the reason. */
  const expectRefused = async (
    arrived: Promise<{ cookie: string | undefined; problem: string | undefined }>,
    failure: string,
    person?: Certified,
  ) => {
    expect(await arrived).toEqual({ cookie: undefined, problem: 'open-id-failed' })
    expect(await lastFailure(fixture)).toBe(failure)
    if (person) expect(await countUsers(person.email)).toBe(0)
  }

  for (const client of clientNames) {
    test(`the client ${client} signs in, with PKCE, state and nonce`, async () => {
      fixture.use(provider.settings(client, { rules: byGroups }))
      const person = someone()
      let left = ''
      const { cookie, problem } = await fixture.arriveBy((location) => {
        left = location
        return provider.visit(person)(location)
      })
      expect(problem).toBeUndefined()
      expect((await fixture.session(cookie)).user?.email).toBe(person.email)
      const asked = new URL(left).searchParams
      expect(asked.get('code_challenge_method')).toBe('S256')
      expect(asked.get('scope')).toBe('openid email groups')
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect(asked.get(name)?.length).toBeGreaterThan(40)
    })
  }

  test('the secret is sent as the settings say, otherwise as the provider offers', async () => {
    const signIn = async (clientAuth: 'auto' | 'post' | 'basic') => {
      fixture.use(provider.settings('ES256', { clientAuth, rules: byGroups }))
      provider.asked.length = 0
      const { problem } = await arrive(someone())
      return [problem, provider.asked.find((each) => each.startsWith('/token'))]
    }
    // The provider offers both.
    expect(await signIn('basic')).toEqual([undefined, '/token basic'])
    expect(await signIn('post')).toEqual([undefined, '/token'])
    expect(await signIn('auto')).toEqual([undefined, '/token'])
    provider.change({ onlyMethod: 'client_secret_basic' })
    expect(await signIn('auto')).toEqual([undefined, '/token basic'])
    expect((await signIn('post'))[0]).toBe('open-id-failed')
    provider.change({ onlyMethod: 'client_secret_post' })
    expect(await signIn('auto')).toEqual([undefined, '/token'])
  })

  test('a new key is accepted and a withdrawn key refused at once', async () => {
    begin()
    const person = someone()
    for (const change of [{}, { newKeys: true }, { newKeys: true }] as const) {
      provider.change(change)
      expect((await arrive(person)).problem).toBeUndefined()
    }
    // The description is read once, the keys once at each sign-in.
    const count = (path: string) => provider.asked.filter((each) => each === path).length
    expect([count('/.well-known/openid-configuration'), count('/jwks')]).toEqual([1, 3])
    provider.before.set('/jwks', () => provider.change({ newKeys: true }))
    const stranger = someone()
    await expectRefused(arrive(stranger), 'open-id-token', stranger)
    expect(count('/jwks')).toBe(4)
  })

  const told: readonly [name: string, more: Partial<Certified>, problem: string | undefined][] = [
    ['a list in the token', {}, undefined],
    ['a list at the userinfo endpoint only', { isTokenBare: true }, undefined],
    ['one text', { groups: 'ai' }, undefined],
    ['one text at the userinfo endpoint only', { groups: 'ai', isTokenBare: true }, undefined],
    ['an empty list', { groups: [] }, 'open-id-group'],
    ['other groups only', { groups: ['AI', 'people'] }, 'open-id-group'],
    ['no claim', { groups: undefined }, 'open-id-claim'],
    ['no claim anywhere', { groups: undefined, isTokenBare: true }, 'open-id-claim'],
    ['an email that is not verified', { email_verified: false }, 'open-id-email'],
    [
      'an email that the userinfo endpoint does not call verified',
      { email_verified: false, isTokenBare: true },
      'open-id-email',
    ],
  ]
  for (const [name, more, problem] of told) {
    test(`${name}: ${problem ?? 'signs in'}`, async () => {
      begin()
      const person = someone(more)
      expect((await arrive(person)).problem).toBe(problem)
      expect(await countUsers(person.email)).toBe(problem === undefined ? 1 : 0)
      const joined = problem === undefined ? { acme: 'member open-id' } : {}
      expect(await fixture.membershipsOf(person.email)).toEqual(joined)
    })
  }

  const modes: readonly [
    rules: OpenIdRules,
    more: Partial<Certified>,
    problem: string | undefined,
  ][] = [
    [{ create: 'off', domains: [], groups: [] }, {}, 'open-id-unknown'],
    [{ create: 'domains', domains, groups: [] }, {}, undefined],
    [
      { create: 'domains', domains, groups: [] },
      { email: 'c@sub.example.com', isTokenBare: true },
      'open-id-domain',
    ],
    [{ create: 'groups', domains, groups }, { email: 'c@x.org' }, 'open-id-domain'],
  ]
  for (const [rules, more, problem] of modes) {
    test(`create: ${rules.create}, ${more.email ?? 'a known domain'}: ${problem ?? 'signs in'}`, async () => {
      begin(rules)
      const person = someone(more)
      expect((await arrive(person)).problem).toBe(problem)
      expect(await countUsers(person.email)).toBe(problem === undefined ? 1 : 0)
    })
  }

  test('a lost group ends the membership, the keys and the sessions', async () => {
    begin()
    const person = someone({ isTokenBare: true })
    const { cookie } = await arrive(person)
    const made = await fixture.post('/console/api/keys', {
      cookie,
      body: { accountId: 'acme', name: 'mine', groups: ['default'] },
    })
    const { value } = (await made.json()) as { value: string }
    const directory = await openKeyDirectory(fixture.engine, fixture.vault)
    const seq = await latestChange(fixture.engine.db)
    expect((await directory.find(value))?.accountId).toBe('acme')
    expect((await arrive({ ...person, groups: [] })).problem).toBe('open-id-group')
    expect(await fixture.membershipsOf(person.email)).toEqual({})
    await directory.apply(await changesAfter(fixture.engine.db, seq))
    expect(await directory.find(value)).toBeUndefined()
    expect((await fixture.session(cookie)).user).toBeNull()
  })

  test('a person who refuses at the provider is not signed in', async () => {
    begin()
    await expectRefused(arrive('denies'), 'open-id-provider')
  })

  type Bend = (query: URLSearchParams, location: string) => void | Promise<void>
  const bends: readonly [name: string, bend: Bend, failure: string][] = [
    ['a code that has expired', () => provider.expireCodes(), 'open-id-provider'],
    ['an invented code', (query) => query.set('code', 'x'), 'open-id-provider'],
    ['a response without a code', (query) => query.delete('code'), 'open-id-token'],
    ['another state', (query) => query.set('state', 'x'), 'open-id-state'],
    ['no state', (query) => query.delete('state'), 'open-id-state'],
    ['two states', (query) => query.append('state', 'x'), 'open-id-token'],
    ['another issuer', (query) => query.set('iss', 'https://evil.example'), 'open-id-token'],
    [
      'no issuer, which this provider always sends',
      (query) => query.delete('iss'),
      'open-id-token',
    ],
    [
      'the code of another sign-in',
      async (query) => {
        await fixture.arriveBy(async (location) => {
          const other = await provider.visit(someone())(location)
          query.set('code', other.get('code') ?? '')
          return new URLSearchParams()
        })
      },
      'open-id-provider',
    ],
    [
      'a code for another nonce',
      async (query, location) => {
        const changed = new URL(location)
        changed.searchParams.set('nonce', 'n'.repeat(43))
        const other = await provider.visit(someone())(changed.href)
        query.set('code', other.get('code') ?? '')
      },
      'open-id-token',
    ],
  ]
  for (const [name, bend, failure] of bends) {
    test(`${name} is refused`, async () => {
      begin()
      const person = someone()
      const arrived = fixture.arriveBy(async (location) => {
        const query = await provider.visit(person)(location)
        await bend(query, location)
        return query
      })
      await expectRefused(arrived, failure, person)
    })
  }

  test('a code works once', async () => {
    begin()
    const person = someone()
    const headers = { 'x-test-address': '10.9.9.9' }
    const left = await fixture.get('/console/api/open-id/start', { headers })
    const cookie = (left.headers.get('set-cookie') ?? '').split(';')[0]
    const query = await provider.visit(person)(left.headers.get('location') ?? '')
    const path = `/console/api/open-id/callback?${query.toString()}`
    expect((await fixture.get(path, { cookie, headers })).status).toBe(200)
    const again = await fixture.get(path, { cookie, headers })
    expect(again.headers.get('location')).toBe('/console/sign-in?problem=open-id-failed')
    expect(again.headers.getSetCookie().join()).not.toContain('tollgate_session')
    expect(await lastFailure(fixture)).toBe('open-id-provider')
  })

  test('a token for another client is refused', async () => {
    // A thief has a code of another client of the same provider.
    fixture.use(provider.settings('ES256', { rules: byGroups }))
    const person = someone()
    const arrived = fixture.arriveBy(async (location) => {
      const other = new URL(location)
      other.searchParams.set('client_id', 'EdDSA')
      return provider.visit(person)(other.href)
    })
    await expectRefused(arrived, 'open-id-provider', person)
  })

  test('a description with another issuer is refused', async () => {
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost')
    fixture.use(provider.settings('ES256', { issuer, rules: byGroups }))
    await expectRefused(arrive(someone()), 'open-id-provider')
  })

  for (const [seconds, isTaken] of [
    [20, true],
    [45, false],
  ] as const) {
    test(`a token that has expired for ${seconds} s is ${isTaken ? 'accepted, as clocks differ' : 'refused'}`, async () => {
      provider.change({ behindSeconds: lifeSeconds + seconds })
      begin()
      const person = someone()
      if (isTaken) expect((await arrive(person)).problem).toBeUndefined()
      else await expectRefused(arrive(person), 'open-id-token', person)
    })
  }

  const huge = Buffer.alloc(5 * 1024 * 1024, ' ')
  const faults: readonly [name: string, fault: ProviderFault][] = [
    ['is unreachable', (response) => response.destroy()],
    ['fails', (response) => response.writeHead(503).end('busy')],
    ['does not respond', () => undefined],
    ['stops within its response', (response) => response.writeHead(200).write('{')],
    [
      'sends too much data',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(huge),
    ],
    [
      'sends a response that is not JSON',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>'),
    ],
    [
      'redirects to another host',
      (response) => response.writeHead(302, { location: `${provider.issuer}/elsewhere` }).end(),
    ],
  ]
  // Faults of the provider never reach the database, so one engine is enough.
  if (makeDatabase) return
  const places = ['/.well-known/openid-configuration', '/token', '/jwks', '/me']
  for (const [name, fault] of faults) {
    test(
      `a provider that ${name} signs nobody in, and the next sign-in works`,
      async () => {
        for (const place of places) {
          fixture.use(provider.settings('ES256', { rules: byGroups }, waitMs / 1000))
          provider.asked.length = 0
          provider.faults.set(place, fault)
          const person = someone({ isTokenBare: true })
          const { cookie, problem } = await arrive(person)
          expect([place, cookie, problem]).toEqual([place, undefined, 'open-id-failed'])
          expect(await countUsers(person.email)).toBe(0)
          expect(provider.asked).not.toContain('/elsewhere')
          // A read request is sent again if its connection was lost; a code is sent once.
          const tries = provider.asked.filter((each) => each.startsWith(place)).length
          expect(tries).toBeLessThanOrEqual(place === '/token' ? 1 : 2)
          provider.faults.clear()
          fixture.use(provider.settings('ES256', { rules: byGroups }))
          expect((await arrive(person)).problem).toBeUndefined()
        }
      },
      patience(30_000),
    )
  }
}
