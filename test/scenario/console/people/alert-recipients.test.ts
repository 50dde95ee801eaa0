import { expect, test } from 'bun:test'
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
