import { expect, test } from 'bun:test'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { addFailedMessage } from '../../../support/store/failed-message.ts'

interface Listed {
  readonly id: string
  readonly state: string
  readonly isResendable: boolean
  readonly resendOf: string | null
  readonly title: string | null
}

const emails = ['owen@example.com']
const alert = { name: 'M', channel: 'email', kinds: ['credit_low'], emails }

const addFailed = (fixture: ConsoleFixture, alertId: string | null, accountId: string | null) =>
  addFailedMessage(fixture, { alertId, accountId, channel: 'email', target: 'owen@example.com' })

async function open() {
  const fixture = await openConsoleFixture()
  const root = await fixture.makeToken(['all'])
  await fixture.admin(root, 'PUT', '/alerts/own', { body: { ...alert, accountId: 'acme' } })
  await fixture.admin(root, 'PUT', '/alerts/all', { body: alert })
  const resend = async (token: string, id: string) => {
    const answer = await fixture.admin(token, 'POST', `/messages/${id}/resend`)
    const body = (await answer.json()) as { id?: string; detail?: string; code?: string }
    return { status: answer.status, ...body }
  }
  const list = async (token: string) =>
    ((await (await fixture.admin(token, 'GET', '/messages')).json()) as { messages: Listed[] })
      .messages
  return { fixture, root, resend, list }
}

test('an owner sends a failed message of the account again, once; nobody else does', async () => {
  const { fixture, root, resend, list } = await open()
  const owner = await fixture.makeToken(['all'], 'acme')
  const own = await addFailed(fixture, 'own', 'acme')
  const ofGateway = await addFailed(fixture, 'all', null)
  const refused: readonly [string, string, string, number][] = [
    ['a message of the gateway', owner, ofGateway, 404],
    ['another account', await fixture.makeToken(['all'], 'globex'), own, 404],
    ['a token that only reads', await fixture.makeToken(['read']), own, 403],
    ['a message that does not exist', root, '987654', 404],
    ['an id that is no number', root, 'x', 404],
    ['an id beyond all numbers', root, '9'.repeat(30), 404],
  ]
  for (const [name, token, id, status] of refused)
    expect([name, (await resend(token, id)).status]).toEqual([name, status])
  expect(await list(root)).toHaveLength(2)
  const sent = await resend(owner, own)
  expect(sent).toEqual({ status: 200, id: expect.any(String) })
  expect(await list(owner)).toMatchObject([
    {
      id: sent.id,
      state: 'waiting',
      isResendable: false,
      resendOf: own,
      title: 'Low credit: Acme',
    },
    { id: own, state: 'failed', isResendable: false, resendOf: null, title: 'Low credit: Acme' },
  ])
  const [twice, waiting] = [await resend(owner, own), await resend(owner, sent.id ?? '')]
  expect([twice.status, waiting.status]).toEqual([409, 409])
  expect(await list(owner)).toHaveLength(2)
  expect((await resend(root, ofGateway)).status).toBe(200)
  const audits = await fixture.engine.db
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', 'alert.resent')
    .execute()
  expect(audits.map((row) => row.subject)).toEqual(['own', 'all'])
  // The audit log of the console names the alert.
  const log = await fixture.admin(root, 'GET', '/audit?action=alert.resent')
  const { rows } = (await log.json()) as { rows: { subjectName: string | null }[] }
  expect(rows.map(({ subjectName }) => subjectName)).toEqual([alert.name, alert.name])
  expect(JSON.stringify(audits, (_, value) => String(value))).not.toContain('hidden')
  await fixture.close()
})

test('a webhook is sent again to the present URL of the alert', async () => {
  const { fixture, root, resend, list } = await open()
  const hook = { name: 'H', channel: 'webhook', kinds: ['credit_low'], secret: 'x'.repeat(20) }
  const put = (host: string) =>
    fixture.admin(root, 'PUT', '/alerts/hook', { body: { ...hook, url: `https://${host}/x` } })
  await put('old.example.com')
  const target = 'old.example.com'
  const id = await addFailedMessage(fixture, { alertId: 'hook', accountId: null, target })
  await put('new.example.com')
  expect((await resend(root, id)).status).toBe(200)
  expect(await list(root)).toMatchObject([
    { target: 'new.example.com', resendOf: id },
    { target: 'old.example.com', id },
  ])
  await fixture.close()
})

test('what stands in the way is told at once, and the message stays as it is', async () => {
  const { fixture, root, resend, list } = await open()
  const id = await addFailed(fixture, 'own', 'acme')
  const invitation = await addFailed(fixture, null, 'acme')
  const detailOf = async (which: string) => {
    const { status, detail } = await resend(root, which)
    return [status, detail]
  }
  expect(await detailOf(invitation)).toEqual([409, expect.stringContaining('not stored')])
  const set = (body: object) => fixture.admin(root, 'PATCH', '/alerts/own', { body })
  await set({ isEnabled: false })
  expect(await detailOf(id)).toEqual([409, expect.stringContaining('Enable the alert first')])
  await set({ isEnabled: true, emails: ['ann@example.com'] })
  expect(await detailOf(id)).toEqual([
    409,
    'owen@example.com is no longer a recipient of the alert.',
  ])
  await set({ emails })
  await fixture.engine.db
    .deleteFrom('membership')
    .where('user_id', '=', 'u_owen')
    .where('account_id', '=', 'acme')
    .execute()
  expect((await detailOf(id))[0]).toBe(409)
  expect((await list(root)).map((row) => row.isResendable)).toEqual([false, true])
  await fixture.admin(root, 'DELETE', '/alerts/own')
  expect(await detailOf(id)).toEqual([409, expect.stringContaining('not stored')])
  expect(await list(root)).toMatchObject([{ isResendable: false }, { isResendable: false }])
  await fixture.close()
})
