import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { ErrorAnswer } from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

/*
 * A session that another person has found open must not lead to a session with a recent sign-in: neither by a new
 * administrator or owner, nor by the sign-in link of a new user. All other uses of these operations need no recent
 * sign-in.
 */

const api = '/console/api'
const minuteMs = 60_000
let fixture: ConsoleFixture
let cookies: Record<'root' | 'owen', string>

beforeAll(async () => {
  fixture = await openConsoleFixture()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  cookies = { root: await fixture.signIn('u_root'), owen: await fixture.signIn('u_owen') }
  fixture.passTime(6 * minuteMs)
})

const members = '/accounts/acme/members'
const ann = `${members}?user=u_ann`
const user = '/operate/users/u_ann'
const memberOf = (role: string) => ({ accounts: [{ id: 'acme', role }] })

const calls: readonly (readonly [keyof typeof cookies, string, string, object, boolean])[] = [
  ['root', 'POST', '/operate/users', { email: 'x@x.org', role: 'admin', accounts: [] }, true],
  ['root', 'POST', '/operate/users', { email: 'x@x.org', role: 'member', accounts: [] }, true],
  ['root', 'PATCH', user, { role: 'admin' }, true],
  ['root', 'PUT', user, { role: 'admin', isSuspended: false, ...memberOf('member') }, true],
  ['root', 'PATCH', user, memberOf('owner'), true],
  ['root', 'POST', members, { email: 'new@example.com', role: 'owner' }, true],
  ['root', 'POST', members, { email: 'nobody@x.org', role: 'viewer' }, true],
  ['root', 'PATCH', ann, { role: 'owner' }, true],
  ['owen', 'POST', members, { email: 'bob@example.com', role: 'owner' }, true],
  ['owen', 'PATCH', ann, { role: 'owner' }, true],
  ['owen', 'PATCH', `${members}?user=u_owen`, { role: 'owner' }, false],
  ['owen', 'PATCH', ann, { role: 'member' }, false],
  ['owen', 'POST', members, { email: 'carl@x.org', role: 'member' }, false],
  ['root', 'POST', members, { email: 'new@example.com', role: 'member' }, false],
  ['root', 'PATCH', user, { isSuspended: false, ...memberOf('member') }, false],
  ['root', 'PATCH', '/operate/users/u_root', { role: 'admin' }, false],
]
for (const [who, method, path, body, isGrant] of calls) {
  const name = `${who} ${method} ${path} ${JSON.stringify(body)}`
  test(`${name} ${isGrant ? 'needs' : 'does not need'} a recent sign-in`, async () => {
    const before = await fixture.engine.db.selectFrom('membership').selectAll().execute()
    const response = await fixture.send(method, `${api}${path}`, { cookie: cookies[who], body })
    if (!isGrant) return expect(response.status).toBe(200)
    expect(response.status).toBe(403)
    expect((await readJson<ErrorAnswer>(response)).error.code).toBe('reauthenticate')
    expect(await fixture.engine.db.selectFrom('membership').selectAll().execute()).toEqual(before)
    const users = fixture.engine.db.selectFrom('console_user').select(['email', 'role'])
    for (const { email, role } of await users.execute()) {
      expect(['x@x.org', 'nobody@x.org']).not.toContain(email)
      expect(role).toBe(email === 'root@example.com' ? 'admin' : 'member')
    }
  })
}
