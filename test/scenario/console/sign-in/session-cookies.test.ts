import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addSession } from '../../../../src/accounts/session-store.ts'
import type { SessionAnswer } from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

const api = '/console/api'

describe('the cookies of a session over https', () => {
  let secure: ConsoleFixture
  beforeAll(async () => {
    secure = await openConsoleFixture({ isSecure: true })
  })
  afterAll(() => secure.close())

  const whoIs = async (cookie: string) =>
    (await readJson<SessionAnswer>(secure.get(`${api}/session`, { cookie }))).user?.email

  test('no other host can set the cookie', async () => {
    const body = { token: await secure.mintLink('u_ann') }
    const cookie = (await secure.post(`${api}/sign-in-link`, { body })).headers.get('set-cookie')
    expect(cookie).toMatch(/^__Host-tollgate_session=h\.[\w-]{43}; Path=\/; .*; Secure$/)
    expect(cookie).not.toContain('Domain')
  })

  test('a cookie that a neighbouring subdomain has set replaces no session and opens none', async () => {
    const own = await secure.signIn('u_ann')
    const tossed = (await secure.signIn('u_root')).replace('__Host-', '')
    expect(await whoIs(own)).toBe('ann@example.com')
    for (const cookie of [`${tossed}; ${own}`, `${own}; ${tossed}`])
      expect(await whoIs(cookie)).toBe('ann@example.com')
    // Also for a visitor who is not signed in, or whose session has ended.
    const plain = tossed.replace('=h.', '=')
    for (const cookie of [tossed, plain, `${tossed}; __Host-tollgate_session=`])
      expect(await whoIs(cookie)).toBeUndefined()
  })

  test('a session from before the prefix goes on until it is signed out', async () => {
    const nowMs = secure.nowMs()
    const origin = { address: '127.0.0.1', agent: null }
    const session = { userId: 'u_ann', vault: secure.vault, random: systemRandom, nowMs, origin }
    const { token } = await write(secure.engine, nowMs, ({ tx }) => addSession(tx, session))
    const former = `tollgate_session=${token}`
    expect(await whoIs(former)).toBe('ann@example.com')
    expect(await whoIs(`__Host-${former}`)).toBeUndefined()
    const response = await secure.post(`${api}/sign-out`, { cookie: former })
    const names = response.headers.getSetCookie().map((each) => each.split('=')[0])
    expect(names).toEqual(['__Host-tollgate_session', 'tollgate_session'])
    expect(await whoIs(former)).toBeUndefined()
  })
})
