import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  type ErrorAnswer,
  freshSignInMs,
  type PasskeyCreation,
  type PasskeyQuestion,
  type SessionAnswer,
  type UserRow,
  type UsersAnswer,
} from '../../../../src/console-api/contract.ts'
import {
  addressHeader,
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import { noRules, unusedProvider } from '../../../support/console/open-id-provider.ts'
import { SoftwareAuthenticator } from '../../../support/software-authenticator.ts'

/*
 * Users whom the identity provider created sign in only with it. If the settings no longer name a provider, an operator
 * gives them a sign-in link, and they set a password. If the provider comes back, only the provider counts again.
 */

const api = '/console/api'
const party = { id: 'gw.example.com', origin: 'https://gw.example.com' }
const provider = unusedProvider(noRules)

describe.each([
  ['with a provider', provider],
  ['without a provider', undefined],
] as const)('a user whom the provider created, %s', (_name, openId) => {
  const isOff = openId === undefined
  let fixture: ConsoleFixture
  let visitors = 0

  beforeAll(async () => {
    fixture = await openConsoleFixture({ relyingParty: party, ...(openId && { openId }) })
  })
  afterAll(() => fixture.close())
  beforeEach(() => setUser({ source: 'open-id', open_id: 'https://idp ann' }))

  const setUser = (columns: object) =>
    fixture.engine.db.updateTable('console_user').set(columns).where('id', '=', 'u_ann').execute()
  const post = (path: string, body: object, cookie?: string) => {
    visitors += 1
    const headers = { [addressHeader]: `198.51.100.${visitors}` }
    return fixture.post(`${api}${path}`, { body, headers, ...(cookie !== undefined && { cookie }) })
  }
  const errorOf = async (response: Response) => (await readJson<ErrorAnswer>(response)).error

  test.each(['/password', '/passkeys/start'])('POST %s', async (path) => {
    const cookie = await fixture.signIn('u_ann')
    const response = await post(path, { password: annPassword }, cookie)
    expect(response.status).toBe(isOff ? 200 : 409)
    if (!isOff) expect((await errorOf(response)).detail).toBe('sign_in_open_id')
  })

  test('the session says whether the provider decides', async () => {
    const cookie = await fixture.signIn('u_ann')
    const { user } = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))
    const shown = { source: isOff ? 'manual' : 'open-id', hasOpenId: !isOff } as const
    expect(user).toMatchObject(shown)
  })

  test('the list and the panel of users say whether only the provider counts', async () => {
    const cookie = await fixture.signIn('u_root')
    const users = `${api}/operate/users`
    for (const [source, isOpenIdOnly] of [
      ['open-id', !isOff],
      ['manual', false],
    ] as const) {
      await setUser({ source })
      const shown = { id: 'u_ann', source, hasPassword: true, hasOpenId: true, isOpenIdOnly }
      const listed = await readJson<UsersAnswer>(fixture.get(`${users}?search=ann`, { cookie }))
      expect(listed.users).toEqual([expect.objectContaining(shown)])
      const row = await readJson<UserRow>(fixture.get(`${users}/u_ann`, { cookie }))
      expect(row).toMatchObject(shown)
    }
  })

  test('a password opens a session only without a provider', async () => {
    const body = { email: 'ann@example.com', password: annPassword }
    const response = await post('/sign-in', body)
    expect(response.status).toBe(isOff ? 200 : 401)
    if (isOff) return
    expect(cookieOf(response)).not.toContain('tollgate_session')
    const wrong = await post('/sign-in', { ...body, password: 'another password' })
    const [refused, mistyped] = [await errorOf(response), await errorOf(wrong)]
    expect({ ...refused, requestId: '' }).toEqual({ ...mistyped, requestId: '' })
    await setUser({ source: 'manual' })
    expect((await post('/sign-in', body)).status).toBe(200)
  })

  test('a passkey opens a session only without a provider', async () => {
    await setUser({ source: 'manual' })
    const cookie = await fixture.signIn('u_ann')
    const device = new SoftwareAuthenticator(party.origin)
    const options = await readJson<PasskeyCreation>(post('/passkeys/start', {}, cookie))
    const made = { name: 'Laptop', ...device.create(options) }
    expect((await post('/passkeys', made, cookie)).status).toBe(200)
    await setUser({ source: 'open-id' })
    const asked = await post('/sign-in/passkey/start', {})
    const answer = device.get(await readJson<PasskeyQuestion>(asked))
    const response = await post('/sign-in/passkey', answer, cookieOf(asked))
    expect(response.status).toBe(isOff ? 200 : 401)
    if (!isOff) expect(cookieOf(response)).not.toContain('tollgate_session')
  })

  const userOf = async (cookie: string) =>
    (await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))).user
  const isRecent = async (cookie: string) =>
    ((await userOf(cookie))?.freshUntil ?? 0) > fixture.nowMs()

  test('a password confirms the identity only without a provider', async () => {
    const cookie = await fixture.signIn('u_ann')
    fixture.passTime(freshSignInMs + 1)
    expect((await userOf(cookie))?.hasPassword).toBe(isOff)
    const response = await post('/reauthenticate', { password: annPassword }, cookie)
    expect(response.status).toBe(isOff ? 200 : 409)
    if (!isOff) expect((await errorOf(response)).detail).toBe('sign_in_open_id')
    expect(await isRecent(cookie)).toBe(isOff)
  })

  test('a passkey confirms the identity only without a provider', async () => {
    await setUser({ source: 'manual' })
    const cookie = await fixture.signIn('u_ann')
    const device = new SoftwareAuthenticator(party.origin)
    const options = await readJson<PasskeyCreation>(post('/passkeys/start', {}, cookie))
    await post('/passkeys', { name: 'Phone', ...device.create(options) }, cookie)
    fixture.passTime(freshSignInMs + 1)
    const asked = await post('/reauthenticate/passkey/start', {}, cookie)
    const answer = device.get(await readJson<PasskeyQuestion>(asked))
    await setUser({ source: 'open-id' })
    expect((await userOf(cookie))?.hasPasskey).toBe(isOff)
    for (const [path, body] of [
      ['/reauthenticate/passkey', answer],
      ['/reauthenticate/passkey/start', {}],
    ] as const) {
      const response = await post(path, body, cookie)
      expect(response.status).toBe(isOff ? 200 : 409)
      if (!isOff) expect((await errorOf(response)).detail).toBe('sign_in_open_id')
    }
    expect(await isRecent(cookie)).toBe(isOff)
  })
})
