import { Socket } from 'node:net'
import { deliveryText } from '../core/delivery-problem.ts'
import type { SmtpServer } from '../core/network/smtp-server.ts'
import { DeliveryFailure, type MailContent, outboxLimits } from './message.ts'

export interface MailSender {
  send(target: string, mail: MailContent): Promise<void>
  /** Connects and signs in, without sending anything. */
  check(): Promise<void>
}

const connectMs = 10_000
const loginRequired = 530

/** Sends each message over a connection of its own: messages are few, and no idle connection has to be kept alive. */
export function openSmtp(
  server: SmtpServer,
  { attemptMs = outboxLimits.attemptMs }: { readonly attemptMs?: number } = {},
): MailSender {
  return {
    send: (target, { subject, text, html }) =>
      withTransport(server, attemptMs, async (transport) => {
        await transport.sendMail({
          from: server.from,
          to: { name: '', address: target },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
      }),
    check: () =>
      withTransport(server, attemptMs, async (transport) => {
        await transport.verify()
      }),
  }
}

type Transport = Awaited<ReturnType<typeof transportOf>>

/** Loads the mail library with the first message: most processes send none. */
async function transportOf({ host, port, tls, login, ca }: SmtpServer, socket: Socket) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    socket,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    ...(login && { auth: { user: login.user, pass: login.password } }),
    tls: { rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: outboxLimits.attemptMs,
    dnsTimeout: connectMs,
  })
}

async function withTransport(
  server: SmtpServer,
  attemptMs: number,
  work: (transport: Transport) => Promise<void>,
): Promise<void> {
  const socket = new Socket()
  const transport = await transportOf(server, socket)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new DeliveryFailure(deliveryText('late', { host: server.host }))),
    attemptMs,
  )
  try {
    await Promise.race([work(transport), late.promise])
  } catch (error) {
    throw error instanceof DeliveryFailure ? error : failureOf(error, server)
  } finally {
    clearTimeout(timer)
    transport.close()
    // The library would go on with a server that answers slowly, and deliver what is sent again later.
    socket.destroy()
  }
}

/**
 * The text of the server. 5xx is final if it is about the message. A server that refuses the connection or wants
 * another sign-in may accept the message later, because an operator can correct that while the message waits.
 */
function failureOf(error: unknown, { host, port }: SmtpServer): DeliveryFailure {
  const [code, responseCode, response] = ['code', 'responseCode', 'response'].map((name) =>
    error instanceof Error ? (Reflect.get(error, name) as unknown) : undefined,
  )
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'EAUTH') {
    const values = { host, words: text(response, message) }
    return new DeliveryFailure(deliveryText('login_rejected', values), { cause: error })
  }
  if (typeof responseCode === 'number') {
    const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
    const isPermanent = isAboutMessage && responseCode >= 500 && responseCode !== loginRequired
    return new DeliveryFailure(deliveryText('refused', { host, words: text(response, message) }), {
      isPermanent,
      cause: error,
    })
  }
  const values = { host: `${host}:${port}`, words: message }
  return new DeliveryFailure(deliveryText('not_sent', values), { cause: error })
}

function text(response: unknown, fallback: string): string {
  return typeof response === 'string' && response !== '' ? response : fallback
}
