import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { OpenIdProvider } from '../../../../src/console-api/ports/open-id-provider.ts'
import { claimDue } from '../../../../src/outbox/outbox-store.ts'
import {
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { noRules } from '../../../support/console/open-id-provider.ts'

/* The user gets an email when an identity becomes a way to sign in as this user, and only then. */

const api = '/console/api'
const told = { authenticatedAtMs: 0, groups: { kind: 'ignored' } } as const
let person: { readonly openId: string; readonly email: string }
let fixture: ConsoleFixture

beforeEach(async () => {
  const openId: OpenIdProvider = {
    label: 'Our login',
    rules: { ...noRules, create: 'domains', domains: ['example.com'] },
    begin: async () => ({
      url: 'https://login.example.com/',
      pending: { state: 's', nonce: 'n', verifier: 'v' },
    }),
    finish: async () => ({ ...person, ...told }),
  }
  const mail = { publicUrl: 'https://gw.example.com', send: async () => undefined }
  fixture = await openConsoleFixture({ openId, gateway: { mail } })
})
afterEach(() => fixture.close())

/** Signs in and returns the subjects of the emails that it causes. */
async function arrive(openId: string, email: string): Promise<string[]> {
  person = { openId, email }
  const { engine, vault } = fixture
  const left = await fixture.get(`${api}/open-id/start`)
  const path = `${api}/open-id/callback?code=c&state=s`
  const back = await fixture.get(path, { cookie: cookieOf(left) })
  expect(back.status).toBe(200)
  const due = await claimDue(engine, { vault, nowMs: fixture.nowMs() }, { countMax: 50 })
  await engine.db.deleteFrom('outbox').execute()
  return due.flatMap(({ target, content }) =>
    'mail' in content ? [`${target}: ${content.mail.subject}`] : [],
  )
}

test('a user is told when a first sign-in links the identity', async () => {
  const linked = 'ann@example.com: Your login was linked to the identity provider'
  expect(await arrive('i ann', 'ann@example.com')).toContain(linked)
  expect(await arrive('i ann', 'ann@example.com')).not.toContain(linked)
})

test('a user whom the sign-in creates is not', async () => {
  expect(await arrive('i new', 'somebody@example.com')).toEqual([])
})
