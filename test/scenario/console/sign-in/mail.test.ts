import { afterEach, describe, expect, test } from 'bun:test'
import type {
  AlertRow,
  AlertsAnswer,
  ErrorAnswer,
  MemberAdded,
  MessagesAnswer,
  SessionAnswer,
  TestAnswer,
  UserWithLink,
} from '../../../../src/console-api/contract.ts'
import type { GatewayPorts } from '../../../../src/console-api/ports/gateway-ports.ts'
import { DeliveryFailure, type MailContent } from '../../../../src/outbox/message.ts'
import { claimDue } from '../../../../src/outbox/outbox-store.ts'
import type { Webhook } from '../../../../src/outbox/webhook.ts'
import {
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { eventually } from '../../../support/eventually.ts'

const api = '/console/api'
const publicUrl = 'https://gw.example.com'
let fixture: ConsoleFixture
afterEach(() => fixture.close())

const sent: { target: string; mail: MailContent }[] = []
const posted: Webhook[] = []

async function open(gateway: Partial<GatewayPorts> = {}) {
  sent.length = 0
  posted.length = 0
  fixture = await openConsoleFixture({
    gateway: {
      mail: {
        publicUrl,
        send: async (target, mail) => {
          sent.push({ target, mail })
        },
      },
      postWebhook: async (hook) => {
        posted.push(hook)
      },
      ...gateway,
    },
  })
}

/** The waiting messages, as the sender would get them. Another test covers the notices. */
async function waiting() {
  const { engine, vault } = fixture
  const messages = await claimDue(engine, { vault, nowMs: fixture.nowMs() })
  return messages.filter(({ purpose }) => purpose !== 'security-notice')
}

function textOf(message: Awaited<ReturnType<typeof waiting>>[number] | undefined): string {
  return message && 'mail' in message.content ? message.content.mail.text : ''
}

const codeOf = async (response: Response) => (await readJson<ErrorAnswer>(response)).error

describe('password reset', () => {
  const ask = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
    fixture.post(`${api}/password-reset/request`, { body: { email, ...more }, headers })

  async function setPassword(userId: string, password: string): Promise<void> {
    const cookie = await fixture.signIn(userId)
    expect((await fixture.post(`${api}/password`, { cookie, body: { password } })).status).toBe(200)
  }

  async function linkFor(email: string): Promise<string> {
    expect((await ask(email)).status).toBe(200)
    const messages = await eventually('the email', async () => {
      const found = await waiting()
      return found.length > 0 && found
    })
    expect(messages).toMatchObject([{ purpose: 'password-reset', target: email }])
    const found = /https:\/\/gw\.example\.com\/console\/new-password#(\S+)/.exec(
      textOf(messages[0]),
    )
    return found?.[1] ?? ''
  }

  test('the link sets a new password once, and ends all sessions', async () => {
    await open()
    await setPassword('u_ann', 'the first password')
    const old = await fixture.signIn('u_ann')
    const token = await linkFor('ann@example.com')
    const body = { token, password: 'the second password' }
    expect((await fixture.post(`${api}/password-reset`, { body })).status).toBe(200)
    const session = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie: old }))
    expect(session.user).toBeNull()
    const signIn = (password: string) =>
      fixture.post(`${api}/sign-in`, { body: { email: 'ann@example.com', password } })
    expect((await signIn('the first password')).status).toBe(401)
    expect((await signIn('the second password')).status).toBe(200)
    const again = { token, password: 'the third password' }
    const refused = await fixture.post(`${api}/password-reset`, { body: again })
    expect(await codeOf(refused)).toMatchObject({ code: 'link_spent' })
  })

  test('the link does not sign in, and expires after an hour', async () => {
    await open()
    await setPassword('u_ann', 'the first password')
    const token = await linkFor('ann@example.com')
    for (const path of ['sign-in-link', 'invitation']) {
      const response = await fixture.post(`${api}/${path}`, { body: { token } })
      expect(response.status).toBe(410)
      expect(cookieOf(response)).not.toContain('tollgate_session')
    }
    fixture.passTime(60 * 60_000)
    const body = { token, password: 'the second password' }
    expect((await fixture.post(`${api}/password-reset`, { body })).status).toBe(410)
  })

  test('the host of a request never becomes part of the link', async () => {
    await open()
    await setPassword('u_ann', 'the first password')
    const headers = { 'x-forwarded-host': 'evil.example.com', origin: fixture.url }
    expect((await ask('ann@example.com', {}, headers)).status).toBe(200)
    const messages = await eventually('the email', async () => {
      const found = await waiting()
      return found.length > 0 && found
    })
    expect(textOf(messages[0])).toContain(`${publicUrl}/console/new-password#`)
    expect(textOf(messages[0])).not.toContain('evil')
  })

  test('every address gets the same answer, and only a user gets an email', async () => {
    await open()
    await setPassword('u_ann', 'the first password')
    const users = fixture.engine.db.updateTable('console_user')
    await users.set({ suspended: 1 }).where('id', '=', 'u_vera').execute()
    const linked = { open_id: 'https://idp sub', password_hash: null }
    await users.set(linked).where('id', '=', 'u_bob').execute()
    // Imported with its source: the user has not signed in with the provider of this gateway yet.
    const imported = { source: 'open-id', password_hash: null }
    await users.set(imported).where('id', '=', 'u_owen').execute()
    const answers = []
    for (const email of [
      'nobody@example.com',
      'vera@example.com',
      'bob@example.com',
      'owen@example.com',
      'ann@example.com',
    ]) {
      const response = await ask(email)
      answers.push([response.status, await response.text()])
    }
    expect(new Set(answers.map(String)).size).toBe(1)
    const messages = await eventually('the email', async () => {
      const found = await waiting()
      return found.length > 0 && found
    })
    expect(messages.map(({ target }) => target)).toEqual(['ann@example.com'])
  })

  test('without a provider, a user of single sign-on can reset the password that they have set', async () => {
    await open()
    const users = fixture.engine.db.updateTable('console_user').where('id', '=', 'u_ann')
    await users.set({ source: 'open-id', open_id: 'https://idp sub' }).execute()
    expect(await linkFor('ann@example.com')).not.toBe('')
  })

  test('requests are limited, for unknown addresses as well', async () => {
    await open()
    for (const email of ['nobody@example.com', 'ann@example.com']) {
      const codes = []
      for (let each = 0; each < 4; each += 1) codes.push((await ask(email)).status)
      expect(codes).toEqual([200, 200, 200, 429])
    }
  })

  test('without a mail server no reset is offered', async () => {
    await open({ mail: undefined })
    expect(await codeOf(await ask('ann@example.com'))).toMatchObject({ detail: 'mail_off' })
    const session = await readJson<SessionAnswer>(fixture.get(`${api}/session`))
    expect(session.hasMail).toBe(false)
  })

  test('a second factor stays', async () => {
    await open()
    await setPassword('u_ann', 'the first password')
    await fixture.engine.db
      .updateTable('console_user')
      .set({ totp_sealed: 'sealed' })
      .where('id', '=', 'u_ann')
      .execute()
    const token = await linkFor('ann@example.com')
    const body = { token, password: 'the second password' }
    expect((await fixture.post(`${api}/password-reset`, { body })).status).toBe(200)
    const response = await fixture.post(`${api}/sign-in`, {
      body: { email: 'ann@example.com', password: 'the second password' },
    })
    expect(await codeOf(response)).toMatchObject({ code: 'code_needed' })
  })
})

describe('links for new people', () => {
  test('an invitation is also sent by email, and the list does not show its link', async () => {
    await open()
    const cookie = await fixture.signIn('u_owen')
    const body = { email: 'new@example.com', role: 'member' }
    const added = await readJson<MemberAdded>(
      fixture.post(`${api}/accounts/acme/members`, { cookie, body }),
    )
    expect(added.isMailed).toBe(true)
    const token = added.invitationUrl?.split('#')[1] ?? 'none'
    const list = await fixture.get(`${api}/messages?account=acme`, { cookie })
    const text = await list.text()
    expect(text).not.toContain(token)
    expect(JSON.parse(text).messages).toMatchObject([
      { purpose: 'invitation', target: 'new@example.com', state: 'waiting', attempts: 0 },
    ])
    const [message] = await waiting()
    expect(textOf(message)).toContain(`${publicUrl}/console/invitation#${token}`)
    const other = await fixture.signIn('u_bob')
    const { messages } = await readJson<MessagesAnswer>(
      fixture.get(`${api}/messages?account=globex`, { cookie: other }),
    )
    expect(messages).toEqual([])
  })

  test('a user created by an administrator gets a link that is valid for a week', async () => {
    await open()
    const cookie = await fixture.signIn('u_root')
    const body = { email: 'fresh@example.com', role: 'member', accounts: [] }
    const made = await readJson<UserWithLink>(
      fixture.post(`${api}/operate/users`, { cookie, body }),
    )
    expect(made.isMailed).toBe(true)
    const token = made.signInUrl.split('#')[1] ?? ''
    fixture.passTime(7 * 24 * 60 * 60_000 - 1)
    expect((await fixture.post(`${api}/sign-in-link`, { body: { token } })).status).toBe(200)
  })

  test('without a mail server the link can still be copied', async () => {
    await open({ mail: undefined })
    const cookie = await fixture.signIn('u_owen')
    const body = { email: 'new@example.com', role: 'member' }
    const added = await readJson<MemberAdded>(
      fixture.post(`${api}/accounts/acme/members`, { cookie, body }),
    )
    expect(added).toMatchObject({ isMailed: false, invitationUrl: expect.stringContaining('#') })
    expect(await waiting()).toEqual([])
  })
})

describe('alerts', () => {
  const hook = {
    accountId: 'acme',
    name: 'Money',
    channel: 'webhook',
    url: 'https://hooks.example.com/a?token=hidden-part',
    secret: 'a-secret-of-twenty-characters',
    kinds: ['credit_low'],
  }
  const make = (cookie: string, body: object) => fixture.post(`${api}/alerts`, { cookie, body })

  test('an owner creates, tests, changes and deletes one; the URL and the secret are never shown', async () => {
    await open()
    const cookie = await fixture.signIn('u_owen')
    const created = await make(cookie, hook)
    const text = await created.text()
    expect([created.status, text]).toEqual([200, text])
    const row: AlertRow = JSON.parse(text)
    expect(row).toMatchObject({
      name: 'Money',
      urlHost: 'hooks.example.com',
      creditBelowNano: '5000000000',
      keyExpiryDays: 7,
      crossings: 0,
    })
    const tested = await readJson<TestAnswer>(
      fixture.post(`${api}/alerts/${row.id}/test`, { cookie }),
    )
    expect(tested).toEqual({ problem: null })
    expect(posted).toMatchObject([{ url: hook.url, secret: hook.secret }])
    const edited = await fixture.send('PATCH', `${api}/alerts/${row.id}`, {
      cookie,
      body: { isEnabled: false, secret: 'another-secret-of-twenty-characters' },
    })
    expect((await readJson<AlertRow>(edited)).isEnabled).toBe(false)
    const list = await (await fixture.get(`${api}/alerts?account=acme`, { cookie })).text()
    const log = await fixture.engine.db.selectFrom('audit').selectAll().execute()
    for (const shown of [text, list, JSON.stringify(log)]) {
      expect(shown).not.toContain('hidden-part')
      expect(shown).not.toContain('secret-of-twenty')
    }
    const gone = await fixture.send('DELETE', `${api}/alerts/${row.id}`, { cookie })
    expect(gone.status).toBe(200)
    const left = await readJson<AlertsAnswer>(fixture.get(`${api}/alerts?account=acme`, { cookie }))
    expect(left.alerts).toEqual([])
  })

  test('a failed test says why, and is in the list', async () => {
    await open({
      postWebhook: () =>
        Promise.reject(new DeliveryFailure('hooks.example.com answered HTTP 500.')),
    })
    const cookie = await fixture.signIn('u_owen')
    const { id } = await readJson<AlertRow>(make(cookie, hook))
    const tested = await readJson<TestAnswer>(fixture.post(`${api}/alerts/${id}/test`, { cookie }))
    expect(tested.problem).toContain('HTTP 500')
    const { messages } = await readJson<MessagesAnswer>(
      fixture.get(`${api}/messages?account=acme&state=failed`, { cookie }),
    )
    expect(messages).toMatchObject([{ purpose: 'test', state: 'failed', attempts: 1 }])
  })

  const email = { accountId: 'acme', name: 'M', channel: 'email', kinds: ['credit_low'] }
  test.each([
    ['a condition for operators', { ...hook, kinds: ['upstream_down'] }, 'alert_kinds_operator'],
    ['a webhook without a secret', { ...hook, secret: undefined }, 'alert_secret_needed'],
    ['a webhook without a URL', { ...hook, url: undefined }, 'alert_url_needed'],
    [
      'a URL for an email alert',
      { ...email, emails: ['ann@example.com'], url: hook.url },
      'alert_field_unused',
    ],
    ['no recipient', { ...email, emails: [] }, 'alert_emails_needed'],
    [
      'a recipient outside the account',
      { ...email, emails: ['stranger@example.com'] },
      'alert_email_stranger',
    ],
    ['no condition', { ...hook, kinds: [] }, 'alert_kinds_wrong'],
    ['a secret for Slack', { ...hook, channel: 'slack' }, 'alert_field_unused'],
    ['another account', { ...hook, accountId: 'globex' }, 'account_not_owned'],
    ['the whole gateway', { ...hook, accountId: null }, 'account_not_owned'],
    ['a URL with a password', { ...hook, url: 'https://a:b@c.example' }, 'webhook_wrong'],
    ['a file: URL', { ...hook, url: 'file:///etc/passwd' }, 'webhook_wrong'],
  ])('%s is refused', async (_name, body, detail) => {
    await open()
    const cookie = await fixture.signIn('u_owen')
    expect((await codeOf(await make(cookie, body))).detail).toBe(detail as never)
  })

  test('an administrator makes one for the gateway, which no owner sees', async () => {
    await open()
    const cookie = await fixture.signIn('u_root')
    const body = {
      name: 'Ops',
      channel: 'email',
      emails: ['ops@example.org'],
      kinds: ['upstream_down'],
    }
    const { id } = await readJson<AlertRow>(make(cookie, body))
    const owner = await fixture.signIn('u_owen')
    expect((await fixture.get(`${api}/alerts/${id}`, { cookie: owner })).status).toBe(404)
    const { alerts } = await readJson<AlertsAnswer>(fixture.get(`${api}/alerts`, { cookie: owner }))
    expect(alerts).toEqual([])
    for (const path of [`/alerts/${id}/test`, `/alerts/${id}/test?account=acme`])
      expect((await fixture.post(`${api}${path}`, { cookie: owner })).status).toBe(404)
    const tested = await readJson<TestAnswer>(fixture.post(`${api}/operate/mail/test`, { cookie }))
    expect(tested).toEqual({ problem: null })
    expect(sent).toMatchObject([{ target: 'root@example.com' }])
  })

  const tests = [
    ['an alert', 'u_owen', 10, 30_000],
    ['the mail server', 'u_root', 10, 30_000],
    ['an upstream', 'u_root', 30, 2_000],
  ] as const
  test.each(tests)('tests of %s are limited for each user', async (what, user, burst, refillMs) => {
    let asked = 0
    const tryUpstream: GatewayPorts['tryUpstream'] = async () => {
      asked += 1
      return []
    }
    await open({ tryUpstream })
    const cookie = await fixture.signIn(user)
    const { id } = await readJson<AlertRow>(make(await fixture.signIn('u_owen'), hook))
    const path = {
      'an alert': `/alerts/${id}/test`,
      'the mail server': '/operate/mail/test',
      'an upstream': '/operate/upstreams/one/test',
    }[what]
    const body = what === 'an upstream' ? { body: { model: 'm' } } : {}
    const ask = (as: string) => fixture.post(`${api}${path}`, { cookie: as, ...body })
    for (let times = 0; times < burst; times += 1) expect((await ask(cookie)).status).toBe(200)
    const sentBefore = posted.length + sent.length + asked
    expect(sentBefore).toBe(burst)
    const refused = await ask(cookie)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBe(refillMs / 1_000)
    expect(await codeOf(refused)).toMatchObject({
      code: 'too_many_tries',
      message: `Too many attempts. Try again in ${refillMs / 1_000} s.`,
    })
    expect(posted.length + sent.length + asked).toBe(sentBefore)
    fixture.passTime(refillMs)
    expect((await ask(cookie)).status).toBe(200)
    expect((await ask(cookie)).status).toBe(429)
    // Another user is not affected.
    if (what === 'an alert') expect((await ask(await fixture.signIn('u_root'))).status).toBe(200)
  })
})
