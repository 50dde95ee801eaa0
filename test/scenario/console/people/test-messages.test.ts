import { expect, test } from 'bun:test'
import { DeliveryFailure } from '../../../../src/outbox/message.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'

const hookAlert = { channel: 'slack', url: 'https://hooks.example.com/x' }
const mailAlert = { channel: 'email', emails: ['owen@example.com', 'broken@example.com'] }

/** Messages that wait for hours: the alert, the channel and the recipient of each. */
const waiting = [
  ['hook', 'slack', 'hooks.example.com'],
  ['broken', 'slack', 'broken.example.com'],
  ['mail', 'email', 'owen@example.com'],
  ['mail', 'email', 'broken@example.com'],
  ['other', 'email', 'owen@example.com'],
  [null, 'email', 'new@example.com'],
] as const

async function addWaiting({ engine, nowMs }: ConsoleFixture): Promise<void> {
  const hoursMs = 6 * 60 * 60_000
  const at = nowMs()
  const row = { account_id: null, payload_sealed: '', state: 'waiting', attempts: 7 }
  for (const [alert, channel, target] of waiting)
    await engine.db
      .insertInto('outbox')
      .values({
        ...row,
        lane: channel === 'email' ? '' : `alert ${alert}`,
        purpose: alert === null ? 'invitation' : 'credit_low',
        alert_id: alert,
        channel,
        target,
        next_at: at + hoursMs,
        claimed_until: 0,
        created_at: at,
      })
      .execute()
}

/** The test, and the messages that are due at once afterwards. */
test.each([
  ['a webhook that answers', '/alerts/hook/test', ['hook hooks.example.com']],
  ['a webhook that fails', '/alerts/broken/test', []],
  ['an email that one recipient gets', '/alerts/mail/test', ['mail owen@example.com']],
  [
    'an email of the operator',
    '/operate/mail/test',
    [
      'mail owen@example.com',
      'mail broken@example.com',
      'other owen@example.com',
      'null new@example.com',
    ],
  ],
] as const)(
  'messages that wait are sent after a test that succeeds: %s',
  async (_name, path, due) => {
    const fixture = await openConsoleFixture({
      gateway: {
        mail: {
          publicUrl: 'https://gateway.example.com',
          send: async (target) => {
            if (target.startsWith('broken')) throw new DeliveryFailure('450 later')
          },
        },
        postWebhook: async ({ url }) => {
          if (url.includes('broken'))
            throw new DeliveryFailure('broken.example.com answered HTTP 500.')
        },
      },
    })
    const token = await fixture.makeToken(['all'])
    for (const [id, alert] of [
      ['hook', hookAlert],
      ['broken', { ...hookAlert, url: 'https://broken.example.com/x' }],
      ['mail', mailAlert],
      ['other', mailAlert],
    ] as const) {
      const body = { name: id, kinds: ['credit_low'], ...alert }
      expect((await fixture.admin(token, 'PUT', `/alerts/${id}`, { body })).status).toBe(201)
    }
    await addWaiting(fixture)
    const cookie = await fixture.signIn('u_root')
    const tested = await fixture.post(`/console/api${path}`, { cookie })
    expect(tested.status).toBe(200)
    const rows = await fixture.engine.db
      .selectFrom('outbox')
      .selectAll()
      .where('state', '=', 'waiting')
      .where('next_at', '<=', Date.now())
      .orderBy('seq')
      .execute()
    expect(rows.map(({ alert_id: alert, target }) => `${alert} ${target}`)).toEqual([...due])
    // The attempts that have failed still count.
    expect(rows.every(({ attempts }) => attempts === 7)).toBe(true)
    await fixture.close()
  },
)

test('the list shows no name of an alert of another account that has the id of a deleted one', async () => {
  const fixture = await openConsoleFixture()
  const [acme, globex] = [
    await fixture.makeToken(['all'], 'acme'),
    await fixture.makeToken(['all'], 'globex'),
  ]
  const put = (token: string, accountId: string) => {
    const body = { ...hookAlert, accountId, name: `of ${accountId}`, kinds: ['credit_low'] }
    return fixture.admin(token, 'PUT', '/alerts/ops', { body })
  }
  const names = async (token: string) => {
    const { messages } = (await (await fixture.admin(token, 'GET', '/messages')).json()) as {
      messages: { alertName: string | null }[]
    }
    return messages.map(({ alertName }) => alertName)
  }
  expect((await put(acme, 'acme')).status).toBe(201)
  await fixture.admin(acme, 'POST', '/alerts/ops/test')
  expect(await names(acme)).toEqual(['of acme'])
  expect((await fixture.admin(acme, 'DELETE', '/alerts/ops')).status).toBe(200)
  expect((await put(globex, 'globex')).status).toBe(201)
  await fixture.admin(globex, 'POST', '/alerts/ops/test')
  expect([await names(acme), await names(globex)]).toEqual([[null], ['of globex']])
  await fixture.close()
})
