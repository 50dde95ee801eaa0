import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/*
 * A body that two programs could read differently: a proxy that inspects it may see another value than the gateway.
 * Each is refused, and nothing is created.
 */

let fixture: ConsoleFixture
let tokens: readonly (readonly [string, string])[]
beforeAll(async () => {
  fixture = await openConsoleFixture()
  tokens = [
    ['operator', await fixture.makeToken(['all'])],
    ['account', await fixture.makeToken(['all'], 'acme')],
  ]
})
afterAll(() => fixture.close())

/** Longer than a body that is parsed at once. */
const long = 'x'.repeat(300_000)
const key = '"accountId":"acme","name":"Hostile"'
const provided = (entry: string) => `{"groups":[{"id":"hostile"${entry}}]}`

const proto = '"__proto__"'
const twice = 'appears twice in one object'
/** The call, and a part of what the caller is told. */
const bodies: readonly (readonly [string, string, string, string, string])[] = [
  ['a name twice', 'POST', '/keys', `{${key},"accountId":"globex"}`, `"accountId" ${twice}`],
  ['the same value twice', 'POST', '/keys', `{${key},"name":"Hostile"}`, `"name" ${twice}`],
  ['an escaped name', 'POST', '/keys', `{${key},"\\u006eame":"x"}`, `"name" ${twice}`],
  [
    'a name twice in an object of the body',
    'POST',
    '/keys',
    `{${key},"rateLimits":{"requests":1,"requests":2}}`,
    `"requests" ${twice}`,
  ],
  ['__proto__', 'POST', '/keys', `{${key},"__proto__":{"accountId":"globex"}}`, proto],
  ['an escaped __proto__', 'POST', '/keys', `{${key},"__pr\\u006fto__":{}}`, proto],
  [
    '__proto__ where the client chooses names',
    'POST',
    '/provision',
    provided(',"fallbacks":{"__proto__":[]}'),
    proto,
  ],
  ['an unknown name twice', 'POST', '/keys', `{${key},"x":1,"x":1}`, `"x" ${twice}`],
  ['a name twice in a change', 'PATCH', '/keys/key_a1', '{"name":"a","name":"b"}', twice],
  ['a name twice in a PUT', 'PUT', '/keys/hostile', `{${key},"name":"b"}`, twice],
  ['a name twice in a document', 'POST', '/provision', provided(',"id":"b"'), `"id" ${twice}`],
  [
    'a name twice in a long document',
    'POST',
    '/provision',
    provided(`,"note":"${long}","id":"b"`),
    `"id" ${twice}`,
  ],
  [
    '__proto__ in a long document',
    'POST',
    '/provision',
    provided(`,"note":"${long}","__proto__":{}`),
    proto,
  ],
]

describe('a body with', () => {
  test.each(bodies)('%s is refused: %s %s', async (_, method, path, body, why) => {
    const before = await read()
    for (const [name, token] of tokens) {
      if (path === '/provision' && name === 'account') continue
      const response = await fixture.admin(token, method, path, { body })
      const { errors, detail } = JSON.parse(await response.text())
      const status = why === proto ? 422 : 400
      expect([name, response.status, errors[0].code]).toEqual([name, status, 'body_ambiguous'])
      expect(detail).toContain(why)
    }
    expect([await read(), fixture.errors]).toEqual([before, []])
  })

  test('a name twice is refused before a sign-in, too', async () => {
    const body = '{"email":"ann@example.com","email":"root@example.com","password":"x"}'
    const response = await fixture.post('/console/api/sign-in', { body })
    const { error } = JSON.parse(await response.text())
    expect([response.status, error.detail]).toEqual([400, 'body_ambiguous'])
  })

  test.each(['gzip', 'gzip, identity', 'x'])('the encoding %s is refused', async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const body = `{${key}}`
    const response = await fixture.admin(tokens[0]?.[1], 'POST', '/keys', { headers, body })
    const { errors } = JSON.parse(await response.text())
    expect([response.status, errors[0].code]).toEqual([400, 'body_not_json'])
  })

  test('a long name twice: the name is not repeated to the caller', async () => {
    const name = `"${'n'.repeat(50_000)}":1`
    const response = await fixture.admin(tokens[0]?.[1], 'POST', '/keys', {
      body: `{${name},${name}}`,
    })
    expect([response.status, (await response.text()).length < 1_000]).toEqual([400, true])
  })

  test('the same name in different objects is accepted', async () => {
    const body = '{"groups":[{"id":"one-of-two"},{"id":"two-of-two"}]}'
    const response = await fixture.admin(tokens[0]?.[1], 'POST', '/provision', { body })
    expect(response.status).toBe(200)
  })
})

async function read(): Promise<unknown> {
  const { db } = fixture.engine
  return {
    keys: await db.selectFrom('api_key').select(['id', 'name', 'account_id']).execute(),
    groups: await db.selectFrom('service_group').select('id').execute(),
    audit: await db.selectFrom('audit').select('seq').execute(),
  }
}
