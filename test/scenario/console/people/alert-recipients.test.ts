import { expect, test } from 'bun:test'
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
  const left = await fixture.admin(token, 'DELETE', '/accounts/acme/members?user=u_ann')
  expect(left.status).toBe(200)
  const tested = await fixture.admin(token, 'POST', '/alerts/low/test')
  expect(await tested.json()).toEqual({ problem: null })
  expect(targets).toEqual(['owen@example.com'])
  await fixture.close()
})
