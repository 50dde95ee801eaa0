import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  KeysAnswer,
  OverviewAnswer,
  SessionAnswer,
  UsageAnswer,
} from '../../src/console-api/contract.ts'
import { secretValues } from './console-seed.ts'
import { type ConsoleStage, openConsoleStage, readJson } from './console-stage.ts'

let stage: ConsoleStage
const read = <T>(path: string, cookie: string) => readJson<T>(stage.get(path, { cookie }))

beforeAll(async () => {
  stage = await openConsoleStage()
})
afterAll(() => stage.close())

describe('a member', () => {
  test('sees the keys and requests of its own accounts and of no other', async () => {
    const cookie = await stage.signIn('u_bob')
    const keys = await read<KeysAnswer>('/console/api/keys', cookie)
    expect(keys.keys.map((key) => key.id)).toEqual(['key_g1'])
    const usage = await read<UsageAnswer>('/console/api/usage', cookie)
    const ids = usage.rows.map((row) => row.requestId)
    expect(ids).toEqual([stage.seeded.globexRequestId])
    const foreign = await read<UsageAnswer>('/console/api/usage?key=key_a1', cookie)
    expect(foreign.rows).toEqual([])
    const session = await read<SessionAnswer>('/console/api/session', cookie)
    expect(session.accounts).toEqual([{ id: 'globex', name: 'Globex', role: 'owner' }])
    expect(session.user?.role).toBe('member')
  })

  test('without an account sees empty lists, not everything', async () => {
    await stage.engine.db
      .insertInto('console_user')
      .values({
        id: 'u_lone',
        email: 'lone@x.org',
        password_hash: null,
        role: 'member',
        created_at: 1,
      })
      .execute()
    const cookie = await stage.signIn('u_lone')
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
      expect((await stage.get('/console/api/keys', { headers })).status).toBe(401)
    })
  }
})

describe('a path that does not exist', () => {
  test('is 404, and a wrong method 405 with Allow', async () => {
    expect((await stage.get('/console/api/nothing')).status).toBe(404)
    expect((await stage.get('/console/api')).status).toBe(404)
    const wrong = await stage.get('/console/api/sign-in')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect(stage.errors).toEqual([])
  })
})
