import { afterEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import type { SmtpServer } from '../../../src/core/network/smtp-server.ts'
import { mailTexts } from '../../../src/outbox/mail-texts.ts'
import { DeliveryFailure, errorLine, outboxLimits } from '../../../src/outbox/message.ts'
import { renderMail } from '../../../src/outbox/render-mail.ts'
import { openSmtp } from '../../../src/outbox/smtp.ts'
import { missingPart } from '../../support/missing-part.ts'
import {
  type MailServerOptions,
  openBrokenMailServer,
  openMailServer,
} from '../../support/outgoing/mail-server.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'

const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

const login = { user: 'gateway', password: 'a password of the gateway' }
const mail = mailTexts('en').passwordReset({
  url: 'https://gw.example.com/console/new-password#tok',
})

async function serve(options: MailServerOptions = {}) {
  const server = await openMailServer(options)
  closings.push(() => server.close())
  return server
}

function settings(port: number, more: Partial<SmtpServer> = {}): SmtpServer {
  const from = 'Gateway <gateway@example.com>'
  return { host: 'localhost', port, tls: 'off', login: undefined, from, ...more }
}

async function failureOf(sending: Promise<void>): Promise<DeliveryFailure> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof DeliveryFailure)) throw new Error(`it must fail, not ${String(error)}`)
  return error
}

describe('a mail server', () => {
  test('gets the message as text and HTML, in both languages', async () => {
    const server = await serve()
    const smtp = openSmtp(settings(server.port))
    await smtp.send('ann@example.com', mail)
    await smtp.send(
      'bo@example.com',
      mailTexts('zh').invitation({ account: 'A & B', url: 'https://x' }),
    )
    const [first, second] = server.mails
    expect(first).toMatchObject({ from: 'gateway@example.com', to: ['ann@example.com'] })
    expect(first?.raw).toContain('Subject: Reset your password')
    expect(first?.raw).toContain('Content-Type: text/plain')
    expect(first?.raw).toContain('Content-Type: text/html')
    expect(first?.raw).toContain('Auto-Submitted: auto-generated')
    expect(second?.raw).toContain('Subject: =?UTF-8?')
  })

  test.each([
    [
      'a recipient is unknown: 550',
      { onRecipient: () => ({ code: 550, text: 'No such user' }) },
      true,
      'No such user',
    ],
    [
      'greylisting: 451',
      { onRecipient: () => ({ code: 451, text: 'Try again later' }) },
      false,
      'Try again later',
    ],
    ['the message is spam: 554', { onMessage: () => ({ code: 554, text: 'Spam' }) }, true, 'Spam'],
    ['the mailbox is full: 452', { onMessage: () => ({ code: 452, text: 'Full' }) }, false, 'Full'],
  ] as const)('%s', async (_name, options, isPermanent, words) => {
    const server = await serve(options)
    const failure = await failureOf(openSmtp(settings(server.port)).send('ann@example.com', mail))
    expect(failure.isPermanent).toBe(isPermanent)
    expect(failure.message).toContain(words)
    expect(failure.message).not.toContain('#tok')
    expect(server.mails).toEqual([])
  })

  test.each([
    ['a connection closed before the greeting', []],
    ['a connection closed after the greeting', ['220 hello']],
    ['a connection closed after MAIL FROM', ['220 hello', '250 hi', '250 ok']],
    ['a server that is not a mail server', ['HTTP/1.1 400 Bad Request']],
    ['a server that refuses every connection', ['554 No service']],
    ['a server that is too busy', ['421 Too many connections']],
    ['a server that refuses the greeting', ['220 hello', '550 no', '550 no']],
    ['a server that wants a sign-in', ['220 hello', '250 hi', '530 Authentication required']],
  ])('%s is retried', async (_name, lines) => {
    const server = await openBrokenMailServer(lines)
    closings.push(() => server.close())
    const failure = await failureOf(openSmtp(settings(server.port)).send('ann@example.com', mail))
    expect(failure.isPermanent).toBe(false)
  })

  test('that answers too slowly is left, so that it cannot deliver what is sent again', async () => {
    const left = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 20)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(timer)
        left.resolve()
      })
    })
    const listening = Promise.withResolvers<void>()
    server.listen(0, '127.0.0.1', () => listening.resolve())
    await listening.promise
    closings.push(async () => void server.close())
    const { port } = server.address() as AddressInfo
    const smtp = openSmtp(settings(port), { attemptMs: 300 })
    const failure = await failureOf(smtp.send('ann@example.com', mail))
    expect(failure.isPermanent).toBe(false)
    expect(failure.message).toContain('did not answer in time')
    await left.promise
  })

  test('gets names as they are: long, in any script, with dots and what looks like a header', async () => {
    const server = await serve()
    const name = `${'很长的账户名称'.repeat(20)}\r\nBcc: eve@example.com`
    const text = `.\r\n..\r\n.dot\r\nQUIT\r\n${'x'.repeat(2_000)}`
    const made = renderMail({ subject: `Low credit: ${name}`, paragraphs: [text] })
    await openSmtp(settings(server.port)).send('ann@example.com', made)
    const [received] = server.mails
    const raw = received?.raw ?? ''
    const [head = ''] = raw.split('\r\n\r\n')
    expect(received?.to).toEqual(['ann@example.com'])
    expect(head).not.toMatch(/^Bcc:/im)
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThan(998)
    const subject = /^Subject: ((?:.*\r\n[ \t])*.*)/m.exec(head)?.[1] ?? ''
    const decoded = subject.replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=\s*/gi, (_, how, part: string) =>
      how === 'B'
        ? Buffer.from(part, 'base64').toString()
        : decodeURIComponent(part.replaceAll('_', ' ').replaceAll('=', '%')),
    )
    expect(decoded).toBe(made.subject)
    expect(raw).toMatch(/\r\n\.\r\n\.\.\r\n\.dot\r\nQUIT\r\n/)
  })

  test('that cannot be reached is retried', async () => {
    const server = await openMailServer()
    await server.close()
    const failure = await failureOf(openSmtp(settings(server.port)).check())
    expect(failure.isPermanent).toBe(false)
  })

  test('rejects a wrong password, which an operator can correct', async () => {
    const server = await serve({ login })
    const wrong = { ...login, password: 'another password' }
    const smtp = openSmtp(settings(server.port, { login: wrong }))
    const failure = await failureOf(smtp.check())
    expect(failure).toMatchObject({ isPermanent: false })
    expect(failure.message).toContain('Check smtpUser and smtpPassword')
    expect(failure.message).not.toContain(wrong.password)
    await openSmtp(settings(server.port, { login })).check()
  })
})

function testTls(): void {
  const ca = makePrivateCa('localhost')
  const { certificate } = ca

  test.each(['starttls', 'implicit'] as const)('%s sends and signs in encrypted', async (tls) => {
    const server = await serve({ tls, certificate, login })
    const smtp = openSmtp(settings(server.port, { tls, login, ca: ca.root }))
    await smtp.send('ann@example.com', mail)
    expect(server.mails).toMatchObject([{ isSecure: true, user: login.user }])
  })

  test.each(['starttls', 'implicit'] as const)('%s refuses an unknown CA', async (tls) => {
    const server = await serve({ tls, certificate, login })
    const smtp = openSmtp(settings(server.port, { tls, login }))
    expect(await failureOf(smtp.send('ann@example.com', mail))).toMatchObject({
      isPermanent: false,
    })
    expect(server.mails).toEqual([])
  })

  const other = makePrivateCa('other.example')
  test.each([
    ['starttls', 'localhost', other],
    ['implicit', 'localhost', other],
    ['starttls', '127.0.0.1', ca],
    ['implicit', '127.0.0.1', ca],
  ] as const)('%s to %s refuses the certificate of another host', async (tls, host, owner) => {
    const server = await serve({ tls, certificate: owner.certificate, login })
    const smtp = openSmtp(settings(server.port, { host, tls, login, ca: owner.root }))
    const failure = await failureOf(smtp.send('ann@example.com', mail))
    expect(failure.isPermanent).toBe(false)
    expect(failure.message).not.toContain(login.password)
    expect(server.mails).toEqual([])
  })

  test('starttls sends nothing to a server that does not offer it', async () => {
    const server = await serve({ tls: 'off', login })
    const smtp = openSmtp(settings(server.port, { tls: 'starttls', login, ca: ca.root }))
    await failureOf(smtp.send('ann@example.com', mail))
    expect(server.mails).toEqual([])
  })
}

if (hasOpenssl) describe('with TLS', testTls)
else missingPart('TLS to a mail server', 'openssl is not installed')

test('a name cannot add a header or markup', () => {
  const made = renderMail({ subject: 'Hi\r\nBcc: x@example.com', paragraphs: ['<script>&"'] })
  expect(made.subject).toBe('Hi Bcc: x@example.com')
  expect(made.html).toContain('&lt;script&gt;&amp;&quot;')
})

test('an error line has no link token and is short', () => {
  const line = errorLine(new Error(`no\n https://x/#${'a'.repeat(43)} ${'b'.repeat(2_000)}`))
  expect(line).not.toContain('aaaa')
  expect(line).not.toContain('\n')
  expect(line.length).toBe(outboxLimits.errorCharactersMax)
})
