import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { incompleteCsvLine } from '../../../../src/core/text/export-format.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { patience } from '../../../support/patience.ts'
import { fillLog, rowsMade } from './long-log.ts'

/* An export runs for as long as its client reads. It must not outlive the rights of the person who started it. */

const api = '/console/api'
const timeoutMs = patience(120_000)
let fixture: ConsoleFixture

beforeAll(async () => {
  fixture = await openConsoleFixture()
  await fillLog(fixture)
})
afterAll(() => fixture.close())

const asRoot = async (method: string, path: string, body: object = {}) => {
  const cookie = await fixture.signIn('u_root')
  expect((await fixture.send(method, `${api}${path}`, { cookie, body })).status).toBe(200)
}
const bobOwns = async () => {
  const bob = { user_id: 'u_bob', account_id: 'acme', role: 'owner' }
  const { db } = fixture.engine
  await db.deleteFrom('membership').where('user_id', '=', 'u_bob').execute()
  await db.insertInto('membership').values(bob).execute()
  await db.updateTable('console_user').set({ suspended: 0 }).where('id', '=', 'u_bob').execute()
}

/** Reads the first part of an export, then lets something happen, then reads the rest. */
async function exportAround(
  headers: Record<string, string>,
  path: string,
  happen: () => Promise<unknown>,
): Promise<string> {
  const response = await fetch(`${fixture.url}${path}`, { headers })
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let pieces = 0; ; pieces += 1) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) return text
    text += decoder.decode(value, { stream: true })
    if (pieces === 0) await happen()
  }
}
const rowsOf = (text: string) => text.split('\r\n').length - 2

const place = '/accounts/acme/members?user=u_bob'
const losses: readonly (readonly [string, (cookie: string) => Promise<unknown>])[] = [
  ['is removed from the account', () => asRoot('DELETE', place)],
  ['becomes a member', () => asRoot('PATCH', place, { role: 'member' })],
  ['becomes a viewer', () => asRoot('PATCH', place, { role: 'viewer' })],
  ['is suspended', () => asRoot('PATCH', '/operate/users/u_bob', { isSuspended: true })],
  ['signs out', (cookie) => fixture.post(`${api}/sign-out`, { cookie })],
  [
    'ends the session in another browser',
    async () => {
      const cookie = await fixture.signIn('u_bob')
      const ended = await fixture.post(`${api}/sessions/close-others`, { cookie })
      expect(ended.status).toBe(200)
    },
  ],
]

describe('an export of an owner', () => {
  test.each([...losses])(
    'ends when the owner %s',
    async (_, lose) => {
      await bobOwns()
      const cookie = await fixture.signIn('u_bob')
      const text = await exportAround({ cookie }, `${api}/usage/export?account=acme`, () =>
        lose(cookie),
      )
      expect(rowsOf(text)).toBeLessThan(rowsMade)
      expect(text.endsWith(incompleteCsvLine)).toBe(true)
      expect(fixture.errors).toEqual([])
    },
    timeoutMs,
  )

  test(
    'goes on while the owner keeps the role, whoever else loses it',
    async () => {
      await bobOwns()
      const cookie = await fixture.signIn('u_bob')
      const text = await exportAround({ cookie }, `${api}/usage/export?account=acme`, async () => {
        await asRoot('PATCH', '/accounts/acme/members?user=u_ann', { role: 'viewer' })
        await fixture.signIn('u_bob')
      })
      expect(rowsOf(text)).toBeGreaterThan(rowsMade)
      expect(text).not.toContain(incompleteCsvLine)
    },
    timeoutMs,
  )

  test(
    'with a token ends when the token is revoked',
    async () => {
      const token = await fixture.makeToken(['all'], 'acme')
      const headers = { authorization: `Bearer ${token}` }
      const text = await exportAround(headers, '/admin/v1/usage/export?account=acme', async () => {
        const rows = await fixture.engine.db.selectFrom('admin_token').select('id').execute()
        for (const { id } of rows) await asRoot('DELETE', `/tokens/${id}`)
      })
      expect(rowsOf(text)).toBeLessThan(rowsMade)
      expect(text.endsWith(incompleteCsvLine)).toBe(true)
    },
    timeoutMs,
  )
})
