import { expect, test } from 'bun:test'
import { deliveryText } from '../../../../src/core/delivery-problem.ts'
import { DeliveryFailure } from '../../../../src/outbox/message.ts'
import { openConsoleFixture } from '../../../support/console/console-fixture.ts'

test('a test message of an alert goes to no member who has left', async () => {
  const targets: string[] = []
  const send = async (target: string) => void targets.push(target)
  const mail = { publicUrl: 'https://gateway.example.com', send }
  const fixture = await openConsoleFixture({ gateway: { mail } })
  const token = await fixture.makeToken(['all'])
  const emails = ['ann@example.com', 'owen@example.com']
  const body = { accountId: 'acme', name: 'M', channel: 'email', kinds: ['credit_low'], emails }
  await fixture.admin(token, 'PUT', '/alerts/low', { body })
  const only = { ...body, emails: ['ann@example.com'] }
  await fixture.admin(token, 'PUT', '/alerts/gone', { body: only })
  const left = await fixture.admin(token, 'DELETE', '/accounts/acme/members?user=u_ann')
  expect(left.status).toBe(200)
  const tested = await fixture.admin(token, 'POST', '/alerts/low/test')
  expect(await tested.json()).toEqual({ problem: null })
  expect(targets).toEqual(['owen@example.com'])
  const nobody = await fixture.admin(token, 'POST', '/alerts/gone/test')
  const { problem } = (await nobody.json()) as { problem: string | null }
  expect(problem).toStartWith('No recipient of the alert')
  expect(targets).toHaveLength(1)
  await fixture.close()
})

test('a recipient who has left is in the way of no change, but cannot be added again', async () => {
  const fixture = await openConsoleFixture()
  const token = await fixture.makeToken(['all'])
  const emails = ['ann@example.com', 'owen@example.com']
  const body = { accountId: 'acme', name: 'M', channel: 'email', kinds: ['credit_low'], emails }
  await fixture.admin(token, 'PUT', '/alerts/low', { body })
  await fixture.admin(token, 'DELETE', '/accounts/acme/members?user=u_ann')
  const change = async (method: string, edit: object) => {
    const answer = await fixture.admin(token, method, '/alerts/low', { body: edit })
    return [answer.status, await answer.json()] as const
  }
  expect(await change('PATCH', { isEnabled: false })).toMatchObject([200, { isEnabled: false }])
  expect(await change('PATCH', { emails, name: 'N' })).toMatchObject([200, { name: 'N', emails }])
  expect(await change('PUT', { ...body, name: 'O' })).toMatchObject([200, { name: 'O', emails }])
  const stranger = { errors: [{ code: 'alert_email_stranger' }] }
  const other = [...emails, 'stranger@example.com']
  expect(await change('PATCH', { emails: other })).toMatchObject([409, stranger])
  const left = ['owen@example.com']
  expect(await change('PATCH', { emails: left })).toMatchObject([200, { emails: left }])
  expect(await change('PATCH', { emails })).toMatchObject([409, stranger])
  expect(await change('PUT', body)).toMatchObject([409, stranger])
  await fixture.close()
})

test('a test message goes to every recipient, also after one that fails', async () => {
  const targets: string[] = []
  const mail = {
    publicUrl: 'https://gateway.example.com',
    send: async (target: string) => {
      targets.push(target)
      if (target === 'e1@example.com') throw new DeliveryFailure('550 no', { isPermanent: true })
    },
  }
  const fixture = await openConsoleFixture({ gateway: { mail } })
  const token = await fixture.makeToken(['all'])
  const emails = Array.from({ length: 20 }, (_, index) => `e${index}@example.com`)
  const body = { name: 'M', channel: 'email', kinds: ['credit_low'], emails }
  await fixture.admin(token, 'PUT', '/alerts/low', { body })
  const tested = await fixture.admin(token, 'POST', '/alerts/low/test')
  expect(await tested.json()).toEqual({ problem: '550 no' })
  expect(targets.toSorted()).toEqual(emails.toSorted())
  await fixture.close()
})

const refusedSignIn = `535 10.1.2.3 rejected\n${'See our help pages. '.repeat(50)}`

test.each([
  ['not_sent', 'connect ECONNREFUSED 10.1.2.3:587'],
  // A server that explains itself at length, and a text that an earlier version has cut.
  ['login_rejected', refusedSignIn],
  [undefined, `mail.internal rejected the user or password (${refusedSignIn}`],
] as const)(
  'an owner does not see how the mail server of the gateway is set up, an administrator does: %p',
  async (problem, words) => {
    const host = 'mail.internal:587'
    const why = problem === undefined ? words : deliveryText(problem, { host, words })
    const mail = {
      publicUrl: 'https://gateway.example.com',
      send: async (): Promise<void> => {
        throw new DeliveryFailure(why)
      },
    }
    const fixture = await openConsoleFixture({ gateway: { mail } })
    const root = await fixture.makeToken(['all'])
    const body = {
      accountId: 'acme',
      name: 'M',
      channel: 'email',
      kinds: ['credit_low'],
      emails: ['owen@example.com'],
    }
    await fixture.admin(root, 'PUT', '/alerts/low', { body })
    const owner = await fixture.makeToken(['all'], 'acme')
    for (const [token, isTold] of [
      [root, true],
      [owner, false],
    ] as const) {
      const tested = await (await fixture.admin(token, 'POST', '/alerts/low/test')).text()
      const listed = await (await fixture.admin(token, 'GET', '/messages')).text()
      for (const text of [tested, listed]) {
        expect(text.includes('mail.internal')).toBe(isTold)
        expect(text.includes('10.1.2.3')).toBe(isTold)
        expect(text.includes('The mail server of the gateway does not work')).toBe(!isTold)
      }
    }
    await fixture.close()
  },
)
