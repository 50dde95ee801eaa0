import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  KeysAnswer,
  OverviewAnswer,
  SessionAnswer,
  UsageAnswer,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { secretValues } from '../../../support/console/console-seed.ts'

let fixture: ConsoleFixture
const read = <T>(path: string, cookie: string) => readJson<T>(fixture.get(path, { cookie }))

beforeAll(async () => {
  fixture = await openConsoleFixture()
})
afterAll(() => fixture.close())

describe('a member', () => {
  test('sees the keys and requests of their own accounts and of no other', async () => {
    const cookie = await fixture.signIn('u_bob')
    const keys = await read<KeysAnswer>('/console/api/keys', cookie)
    expect(keys.keys.map((key) => key.id)).toEqual(['key_g1'])
    const usage = await read<UsageAnswer>('/console/api/usage', cookie)
    const ids = usage.rows.map((row) => row.requestId)
    expect(ids).toEqual([fixture.seeded.globexRequestId])
    const foreign = await read<UsageAnswer>('/console/api/usage?key=key_a1', cookie)
    expect(foreign.rows).toEqual([])
    const session = await read<SessionAnswer>('/console/api/session', cookie)
    expect(session.accounts).toEqual([{ id: 'globex', name: 'Globex', role: 'owner' }])
    expect(session.user?.role).toBe('member')
  })

  test('without an account sees empty lists, not everything', async () => {
    await fixture.engine.db
      .insertInto('console_user')
      .values({
        id: 'u_lone',
        email: 'lone@x.org',
        password_hash: null,
        role: 'member',
        created_at: 1,
      })
      .execute()
    const cookie = await fixture.signIn('u_lone')
    const keys = await read<KeysAnswer>('/console/api/keys', cookie)
    const usage = await read<UsageAnswer>('/console/api/usage', cookie)
    const overview = await read<OverviewAnswer>('/console/api/overview', cookie)
    expect([keys.keys, usage.rows, overview.accounts]).toEqual([[], [], []])
  })
})

describe('an API key', () => {
  for (const header of ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie']) {
    test(`in ${header} does not open the console`, async () => {
      const value = header === 'cookie' ? `tollgate_session=${secretValues.key}` : secretValues.key
      const headers = { [header]: header === 'authorization' ? `Bearer ${value}` : value }
      expect((await fixture.get('/console/api/keys', { headers })).status).toBe(401)
    })
  }
})

describe('a path that does not exist', () => {
  test('is 404, and a wrong method 405 with Allow', async () => {
    expect((await fixture.get('/console/api/nothing')).status).toBe(404)
    expect((await fixture.get('/console/api')).status).toBe(404)
    const wrong = await fixture.get('/console/api/sign-in')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect(fixture.errors).toEqual([])
  })
})
