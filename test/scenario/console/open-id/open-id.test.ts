import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureLimits } from '../../../../src/console-api/access/failed-sign-ins.ts'
import type { SessionAnswer, SignInProblem, UserRow } from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import {
  type FakeOpenIdProvider,
  type ProviderUser,
  startOpenIdProvider,
} from '../../../support/console/open-id-provider.ts'

const start = '/console/api/open-id/start'
const callback = '/console/api/open-id/callback'

let provider: FakeOpenIdProvider
let fixture: ConsoleFixture

beforeEach(async () => {
  provider = startOpenIdProvider()
  fixture = await openConsoleFixture({ openId: provider.settings('Our login') })
})
afterEach(async () => {
  await fixture.close()
  await provider.stop()
})

async function leave() {
  const response = await fixture.get(start)
  expect(response.status).toBe(302)
  const setCookie = response.headers.get('set-cookie') ?? ''
  return { location: response.headers.get('location') ?? '', setCookie }
}

async function comeBack(query: URLSearchParams, cookie: string) {
  const response = await fixture.get(`${callback}?${query.toString()}`, { cookie })
  const session = response.headers
    .getSetCookie()
    .find((each) => each.startsWith('tollgate_session='))
    ?.split(';')[0]
  return { response, session, location: response.headers.get('location') }
}

const cookieOf = (header: string) => header.split(';')[0] ?? ''

async function signInAs(told: ProviderUser) {
  const { location, setCookie } = await leave()
  return comeBack(provider.signIn(location, told), cookieOf(setCookie))
}

/** The client address of these tests. */
const address = '127.0.0.1'

async function failedRows() {
  const rows = await fixture.engine.db
    .selectFrom('audit')
    .select(['actor', 'subject', 'after'])
    .where('action', '=', 'user.sign-in-failed')
    .execute()
  expect(new Set(rows.map(({ actor }) => actor))).toEqual(
    new Set(rows.length === 0 ? [] : ['stranger']),
  )
  return rows.map(({ subject, after }) => ({ subject, after: JSON.parse(after ?? 'null') }))
}

const annHere = { sub: 'p-1', email: 'Ann@example.com', email_verified: true }

describe('signing in with an identity provider', () => {
  test('is offered, and admits known users', async () => {
    const offered = await readJson<SessionAnswer>(fixture.get('/console/api/session'))
    expect(offered.openId).toEqual({ label: 'Our login', url: start })
    const { response, session } = await signInAs(annHere)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('url=/console/')
    const { user } = await readJson<SessionAnswer>(
      fixture.get('/console/api/session', { cookie: session }),
    )
    expect(user).toMatchObject({ id: 'u_ann', role: 'member' })
    const audit = await fixture.engine.db.selectFrom('audit').selectAll().execute()
    expect(audit.map(({ actor, action }) => [actor, action])).toEqual([['u_ann', 'user.signed-in']])
  })

  test('also after a rotation of the secret', async () => {
    fixture.rotateSecret()
    const { response, session } = await signInAs(annHere)
    expect([response.status, session !== undefined]).toEqual([200, true])
    expect(fixture.errors).toEqual([])
  })

  test('recognises a person by identity, even if the address has changed', async () => {
    await signInAs(annHere)
    const { session } = await signInAs({ sub: 'p-1' })
    const { user } = await readJson<SessionAnswer>(
      fixture.get('/console/api/session', { cookie: session }),
    )
    expect(user?.id).toBe('u_ann')
  })

  const strangers: [name: string, told: ProviderUser, subject: string, failure: SignInProblem][] = [
    [
      'somebody without a login',
      { sub: 'x', email: 'nobody@x.org', email_verified: true },
      'nobody@x.org',
      'open-id-unknown',
    ],
    [
      'an address that is not verified',
      { ...annHere, sub: 'x', email_verified: false },
      address,
      'open-id-email',
    ],
    [
      'an address without email_verified',
      { sub: 'x', email: 'ann@example.com' },
      address,
      'open-id-email',
    ],
  ]
  for (const [name, told, subject, failure] of strangers) {
    test(`refuses ${name}`, async () => {
      const { session, location } = await signInAs(told)
      expect([session, location]).toEqual([undefined, `/console/sign-in?problem=${failure}`])
      const openId = `${provider.issuer} x`
      expect(await failedRows()).toEqual([{ subject, after: { address, failure, openId } }])
    })
  }

  test('refuses another identity with the address of an existing user', async () => {
    await signInAs(annHere)
    expect((await signInAs({ ...annHere, sub: 'p-2' })).session).toBeUndefined()
    const openId = `${provider.issuer} p-2`
    const after = { address, failure: 'open-id-taken', openId }
    expect(await failedRows()).toEqual([{ subject: 'u_ann', after }])
  })

  test('admits another identity after an administrator has unlinked the user', async () => {
    const { session: former } = await signInAs(annHere)
    const { db } = fixture.engine
    // As after a change of the issuer: nobody can sign in with the former identity any more.
    const ofAnn = db.updateTable('console_user').where('id', '=', 'u_ann')
    await ofAnn.set({ open_id: 'https://former.example.com p-1' }).execute()
    const refused = await signInAs(annHere)
    expect([refused.session, refused.location]).toEqual([
      undefined,
      '/console/sign-in?problem=open-id-taken',
    ])
    expect(fixture.errors.map(String)).toEqual([
      expect.stringContaining('run "tollgate users unlink u_ann"'),
    ])
    fixture.errors.length = 0
    const path = '/console/api/operate/users/u_ann/open-id/remove'
    const byAnn = await fixture.post(path, { cookie: await fixture.signIn('u_ann') })
    expect(byAnn.status).toBe(403)
    const key = { accountId: 'acme', name: 'mine' }
    const annAgain = await fixture.signIn('u_ann')
    const made = await fixture.post('/console/api/keys', { cookie: annAgain, body: key })
    expect(made.status).toBe(200)
    const sealed = () =>
      db.selectFrom('api_key').select('value_sealed').where('owner_user_id', '=', 'u_ann').execute()
    expect((await sealed()).some((row) => row.value_sealed !== '')).toBe(true)
    const root = await fixture.signIn('u_root')
    const unlinked = await readJson<UserRow>(fixture.post(path, { cookie: root }))
    expect(unlinked).toMatchObject({ id: 'u_ann', hasOpenId: false })
    const gone = await readJson<SessionAnswer>(
      fixture.get('/console/api/session', { cookie: former }),
    )
    expect(gone.user).toBeNull()
    expect((await sealed()).every((row) => row.value_sealed === '')).toBe(true)
    const { session } = await signInAs(annHere)
    const { user, accounts } = await readJson<SessionAnswer>(
      fixture.get('/console/api/session', { cookie: session }),
    )
    expect([user?.id, accounts.map(({ id }) => id)]).toEqual(['u_ann', ['acme']])
    // The new identity is linked again, and only that one.
    expect((await signInAs({ ...annHere, sub: 'p-2' })).session).toBeUndefined()
  })

  test.each(['by address', 'by identity'])('rejects a suspended user, %s', async (way) => {
    if (way === 'by identity') await signInAs(annHere)
    await fixture.engine.db.updateTable('console_user').set({ suspended: 1 }).execute()
    expect((await signInAs(annHere)).session).toBeUndefined()
    const openId = `${provider.issuer} p-1`
    const after = { address, failure: 'login-disabled', openId }
    expect(await failedRows()).toEqual([{ subject: 'u_ann', after }])
  })

  const failed = '/console/sign-in?problem=open-id-failed'
  const slips: [name: string, failure: string, go: () => ReturnType<typeof comeBack>][] = [
    [
      'an identity for another client',
      'open-id-token',
      () => signInAs({ ...annHere, aud: 'someone-else' }),
    ],
    [
      'an identity of another provider',
      'open-id-token',
      () => signInAs({ ...annHere, iss: 'http://127.0.0.1:1' }),
    ],
    [
      'an identity that has expired',
      'open-id-token',
      () => signInAs({ ...annHere, exp: 1_000_000_000 }),
    ],
    [
      'a token signed with another key',
      'open-id-token',
      () => signInAs({ ...annHere, forged: 'another key' }),
    ],
    [
      'a token signed with an unknown key',
      'open-id-token',
      () => signInAs({ ...annHere, forged: 'another kid' }),
    ],
    [
      'a token with the algorithm none',
      'open-id-token',
      () => signInAs({ ...annHere, forged: 'none' }),
    ],
    [
      'a token without a signature',
      'open-id-token',
      () => signInAs({ ...annHere, forged: 'unsigned' }),
    ],
    [
      'a token signed with the public key',
      'open-id-token',
      () => signInAs({ ...annHere, forged: 'HS256' }),
    ],
    ['a modified token', 'open-id-token', () => signInAs({ ...annHere, forged: 'changed' })],
    [
      'a token with the nonce of an earlier sign-in',
      'open-id-token',
      () => signInAs({ ...annHere, nonce: 'another' }),
    ],
    [
      'a code for a sign-in that began in another browser',
      'open-id-state',
      async () => {
        const { location } = await leave()
        const other = await leave()
        return comeBack(provider.signIn(location, annHere), cookieOf(other.setCookie))
      },
    ],
    [
      'a code without the cookie of the sign-in',
      'open-id-state',
      async () => comeBack(provider.signIn((await leave()).location, annHere), ''),
    ],
    [
      'an invented cookie',
      'open-id-state',
      async () =>
        comeBack(provider.signIn((await leave()).location, annHere), 'tollgate_open_id=x'),
    ],
    [
      'a used code',
      'open-id-provider',
      async () => {
        const { location, setCookie } = await leave()
        const query = provider.signIn(location, annHere)
        await comeBack(query, cookieOf(setCookie))
        return comeBack(query, cookieOf(setCookie))
      },
    ],
    [
      'an error from the provider',
      'open-id-provider',
      async () => {
        const { location, setCookie } = await leave()
        const state = new URL(location).searchParams.get('state') ?? ''
        return comeBack(new URLSearchParams({ error: 'access_denied', state }), cookieOf(setCookie))
      },
    ],
    [
      'a code of a provider that is unreachable',
      'open-id-provider',
      async () => {
        const { location, setCookie } = await leave()
        const query = provider.signIn(location, annHere)
        await provider.stop()
        return comeBack(query, cookieOf(setCookie))
      },
    ],
  ]
  for (const [name, failure, go] of slips) {
    test(`rejects ${name}, and records it`, async () => {
      const { session, location } = await go()
      expect([session, location]).toEqual([undefined, failed])
      expect(await failedRows()).toEqual([{ subject: address, after: { address, failure } }])
    })
  }

  test('a flood of invalid callbacks does not fill the log', async () => {
    for (let count = 0; count < 40; count += 1) await comeBack(new URLSearchParams('code=x'), '')
    expect((await failedRows()).length).toBeLessThanOrEqual(failureLimits.perLogin.burst)
  })

  test('keeps state and nonce in a cookie that no script and no other site can read', async () => {
    const { setCookie, location } = await leave()
    expect(setCookie).toContain('; HttpOnly; SameSite=Lax')
    expect(setCookie).toContain('Path=/console/api/open-id')
    const asked = new URL(location).searchParams
    for (const name of ['state', 'nonce']) expect(setCookie).not.toContain(asked.get(name) ?? '-')
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('redirect_uri')).toBe(`${fixture.url}${callback}`)
  })

  test('an answer to another request leaves the one under way alone, such as that of a second tab', async () => {
    const { setCookie, location } = await leave()
    const cookie = cookieOf(setCookie)
    const query = provider.signIn(location, annHere)
    const foreign = new URLSearchParams({ code: 'c', state: 'that of the first tab' })
    const refused = await fixture.get(`${callback}?${foreign.toString()}`, { cookie })
    expect(refused.headers.get('location')).toBe(failed)
    expect(refused.headers.getSetCookie()).toEqual([])
    const entered = await fixture.get(`${callback}?${query.toString()}`, { cookie })
    expect(entered.status).toBe(200)
    expect(entered.headers.getSetCookie().join()).toContain('tollgate_session=')
    expect(entered.headers.getSetCookie().join()).toContain('tollgate_open_id=;')
  })

  test('reports that the provider cannot be reached', async () => {
    await provider.stop()
    const response = await fixture.get(start)
    expect(response.headers.get('location')).toBe(failed)
    expect(fixture.errors).toHaveLength(1)
    const after = { address, failure: 'open-id-provider' }
    expect(await failedRows()).toEqual([{ subject: address, after }])
  })
})

test('without a provider the path does not exist', async () => {
  const plain = await openConsoleFixture()
  expect((await plain.get(start)).status).toBe(404)
  const { openId } = await readJson<SessionAnswer>(plain.get('/console/api/session'))
  expect(openId).toBeNull()
  await plain.close()
})
