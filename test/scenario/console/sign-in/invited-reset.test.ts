import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { MemberAdded } from '../../../../src/console-api/contract.ts'
import { claimDue } from '../../../../src/outbox/outbox-store.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { eventually } from '../../../support/eventually.ts'

/* An invitation that was not opened may have expired, or lost its inviter: a password reset must not open it. */

const api = '/console/api'
let fixture: ConsoleFixture

beforeEach(async () => {
  const mail = { publicUrl: 'https://gw.example.com', send: async () => {} }
  fixture = await openConsoleFixture({ gateway: { mail } })
})
afterEach(() => fixture.close())

test('an invited user gets a reset link only after the invitation was opened', async () => {
  const targets: string[] = []
  const links: string[] = []
  const take = async () => {
    const { engine, vault } = fixture
    const due = await claimDue(engine, { vault, nowMs: fixture.nowMs() })
    const resets = due.filter(({ purpose }) => purpose === 'password-reset')
    targets.push(...resets.map(({ target }) => target))
    for (const { content } of resets)
      if ('mail' in content) links.push(/\/console\S+(?=#)/.exec(content.mail.text)?.[0] ?? '')
    return targets
  }
  const ask = async (body: object) =>
    expect((await fixture.post(`${api}/password-reset/request`, { body })).status).toBe(200)
  const cookie = await fixture.signIn('u_owen')
  const body = { email: 'zoe@example.com', role: 'member' }
  const path = `${api}/accounts/acme/members`
  const added = await readJson<MemberAdded>(fixture.post(path, { cookie, body }))
  const zoe = { email: 'zoe@example.com', account: 'acme' }
  await ask(zoe)
  // The answer comes before the email is written; requests take turns, so the next email shows that none comes.
  await ask({ email: 'ann@example.com' })
  await eventually('the email to Ann', async () => (await take()).length > 0)
  expect(targets).toEqual(['ann@example.com'])
  const token = added.invitationUrl?.split('#')[1]
  expect((await fixture.post(`${api}/invitation`, { body: { token } })).status).toBe(200)
  await ask(zoe)
  await eventually('the email to Zoe', async () => (await take()).length > 1)
  expect(targets).toEqual(['ann@example.com', 'zoe@example.com'])
  // The page of the link leads to the sign-in with the account, without which the password is wrong.
  expect(links).toEqual(['/console/new-password', '/console/new-password?account=acme'])
})
