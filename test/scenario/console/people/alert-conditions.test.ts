import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ConditionsAnswer } from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'

let fixture: ConsoleFixture
const path = '/console/api/alerts/own/conditions'

beforeAll(async () => {
  fixture = await openConsoleFixture()
  const token = await fixture.makeToken(['all'])
  const hook = { channel: 'slack', url: 'https://hooks.example.com/x', language: 'zh' }
  const kinds = ['credit_low', 'key_expiring']
  const body = { ...hook, name: 'Own', accountId: 'acme', kinds, creditBelowNano: '900000000000' }
  await fixture.admin(token, 'PUT', '/alerts/own', { body })
  const { db } = fixture.engine
  const soonMs = Date.now() + 60_000
  await db
    .updateTable('api_key')
    .set({ expires_at: soonMs, enabled: 1, name: 'soon' })
    .where('id', '=', 'key_a1')
    .execute()
  const reported = [
    ['credit_low', 'acme', 2],
    ['key_expiring_on', `key_a1 ${new Date(soonMs).toISOString().slice(0, 10)}`, 1],
    // This one is over, and the next evaluation removes it.
    ['key_expiring_on', 'key_gone', 3],
  ] as const
  await db
    .insertInto('alert_crossing')
    .values(reported.map(([kind, subject, since]) => ({ alert_id: 'own', kind, subject, since })))
    .execute()
})
afterAll(() => fixture.close())

async function read(cookie: string, query = '') {
  const response = await fixture.get(`${path}?${query}`, { cookie })
  expect(response.status).toBe(200)
  return (await response.json()) as ConditionsAnswer
}

test('an owner sees which conditions are active, newest first, in a chosen language', async () => {
  const cookie = await fixture.signIn('u_owen')
  const { conditions, next } = await read(cookie, 'language=en')
  expect(next).toBeNull()
  expect(conditions).toMatchObject([
    { kind: 'credit_low', subject: 'acme', accountId: 'acme', since: 2 },
    { kind: 'key_expiring', subject: 'key_a1', accountId: 'acme', since: 1 },
  ])
  expect(conditions[0]?.title).toBe('Low credit: Acme Robotics')
  expect(conditions[0]?.values).toMatchObject({ account: 'Acme Robotics', threshold: '900.00' })
  expect(conditions[1]?.text).toStartWith('The key soon of the account Acme Robotics expires at')
  expect((await read(cookie)).conditions[0]?.title).toBe('余额不足：Acme Robotics')
})

test('the pages have every condition once', async () => {
  const cookie = await fixture.signIn('u_owen')
  const first = await read(cookie, 'limit=1')
  const second = await read(cookie, `limit=1&before=${first.next}`)
  expect(first.conditions.map(({ kind }) => kind)).toEqual(['credit_low'])
  expect(second.conditions.map(({ kind }) => kind)).toEqual(['key_expiring'])
  expect(second.next).toBeNull()
})

test.each(['u_ann', 'u_vera', 'u_bob'])(
  '%s, who does not own the account, sees nothing',
  async (user) => {
    const cookie = await fixture.signIn(user)
    const response = await fixture.get(path, { cookie })
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('Acme')
  },
)
