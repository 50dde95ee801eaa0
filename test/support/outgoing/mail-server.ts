import { createServer, type Server } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { Certificate } from './make-private-ca.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly isSecure: boolean
  readonly user: string | undefined
}

export interface MailServerOptions {
  /** `implicit`: TLS from the start; `starttls`: offered; `off`: not offered. */
  readonly tls?: 'implicit' | 'starttls' | 'off'
  readonly certificate?: Certificate
  /** The only user and password that are accepted. Absent: no sign-in. */
  readonly login?: { readonly user: string; readonly password: string }
  /** The answer to each recipient: undefined accepts it. */
  readonly onRecipient?: (address: string) => { code: number; text: string } | undefined
  /** The answer to the whole message. */
  readonly onMessage?: () => { code: number; text: string } | undefined
}

export interface MailServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  close(): Promise<void>
}

/** A mail server on a real socket. */
export async function openMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { tls = 'off', certificate, login } = options
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    secure: tls === 'implicit',
    ...(certificate && { key: certificate.key, cert: certificate.cert }),
    hideSTARTTLS: tls !== 'starttls',
    disabledCommands: login ? [] : ['AUTH'],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    logger: false,
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === login?.user && auth.password === login?.password
      if (isRight) return done(null, { user: auth.username ?? '' })
      done(refusal({ code: 535, text: 'Authentication failed' }))
    },
    onRcptTo: ({ address }, _session, done) => done(refusal(options.onRecipient?.(address))),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const refused = refusal(options.onMessage?.())
        if (refused) return done(refused)
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(pieces).toString('utf8'),
          isSecure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        })
        done()
      })
    },
  })
  // Some tests expect a client that refuses the certificate.
  server.on('error', () => undefined)
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => listening.resolve())
  await listening.promise
  return {
    port: portOf(server.server),
    mails,
    close: () => closed((done) => server.close(done)),
  }
}

/** A server that writes the given lines and then cuts the connection, or stays silent. */
export async function openBrokenMailServer(
  lines: readonly string[],
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((socket) => {
    let at = 0
    const say = () => {
      const line = lines[at]
      at += 1
      if (line === undefined) socket.destroy()
      else socket.write(`${line}\r\n`)
    }
    socket.on('error', () => undefined)
    socket.on('data', say)
    say()
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => listening.resolve())
  await listening.promise
  return {
    port: portOf(server),
    close: () => closed((done) => server.close(done)),
  }
}

async function closed(close: (done: () => void) => void): Promise<void> {
  const ended = Promise.withResolvers<void>()
  close(() => ended.resolve())
  await ended.promise
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

function refusal(answer: { code: number; text: string } | undefined): Error | null {
  if (!answer) return null
  return Object.assign(new Error(answer.text), { responseCode: answer.code })
}
