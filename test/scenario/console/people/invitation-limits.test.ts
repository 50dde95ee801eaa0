import { afterEach, expect, test } from 'bun:test'
import { signInLimits } from '../../../../src/console-api/access/sign-in-throttle.ts'
import type { MailPort } from '../../../../src/console-api/ports/gateway-ports.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'

const api = '/console/api'
const mail: MailPort = { publicUrl: 'https://gw.example.com', send: async () => {} }
let fixture: ConsoleFixture
afterEach(() => fixture.close())

async function open(port: MailPort | undefined): Promise<void> {
  fixture = await openConsoleFixture({ gateway: { mail: port } })
}

test('an owner cannot fill a mailbox or the outbox with invitations', async () => {
  await open(mail)
  const cookie = await fixture.signIn('u_owen')
  const inviteAgain = async (email: string, by = cookie) => {
    const body = { email, role: 'member' }
    const response = await fixture.post(`${api}/accounts/acme/members`, { cookie: by, body })
    return [response.status, response.headers.get('retry-after')]
  }
  const { burst, refillMs } = signInLimits.invitationsPerAddress
  for (let count = 0; count < burst; count += 1)
    expect(await inviteAgain('new@x.org')).toEqual([200, null])
  expect(await inviteAgain('new@x.org')).toEqual([429, String(refillMs / 1_000)])
  expect(await inviteAgain(' NEW@x.org')).toEqual([429, String(refillMs / 1_000)])
  expect(await inviteAgain('other@x.org')).toEqual([200, null])
  expect(await inviteAgain('new@x.org', await fixture.signIn('u_root'))).toEqual([200, null])
  const mails = fixture.engine.db.selectFrom('outbox').select('seq')
  const invitations = mails.where('purpose', '=', 'invitation')
  expect(await invitations.where('target', '=', 'new@x.org').execute()).toHaveLength(burst)
  fixture.passTime(refillMs)
  expect(await inviteAgain('other@x.org')).toEqual([200, null])
})

test('without a mail server, links to copy have no such limit', async () => {
  await open(undefined)
  const cookie = await fixture.signIn('u_owen')
  const body = { email: 'new@x.org', role: 'member' }
  for (let count = 0; count <= signInLimits.invitationsPerAddress.burst; count += 1) {
    const response = await fixture.post(`${api}/accounts/acme/members`, { cookie, body })
    expect(response.status).toBe(200)
  }
})
