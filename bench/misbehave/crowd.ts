// Keeps a number of misbehaving connections open against one address until its input ends. Prints its counters.
import type { Socket } from 'bun'

const [port = '', count = '', key = ''] = process.argv.slice(2)
const openEveryMs = 2
const openedAtOnce = 20
const dripEveryMs = 1_000
const host = 'Host: gateway.example\r\n'
const authorization = `Authorization: Bearer ${key}\r\n`

interface Manner {
  readonly name: string
  readonly first: string
  readonly drip?: string
  readonly isHalfClosed?: true
  readonly isDeaf?: true
  readonly isShort?: true
}

const post = (path: string, more: string) => `POST ${path} HTTP/1.1\r\n${host}${more}`
const asked = '{"model":"served-by-chat-completions","messages":[{"role":"user","content":"hi"}]}'
const whole = `${post('/v1/chat/completions', `${authorization}Content-Length: ${asked.length}\r\n`)}\r\n${asked}`

const manners: readonly Manner[] = [
  { name: 'one byte', first: 'G' },
  { name: 'nothing', first: '' },
  { name: 'slow headers', first: 'GET / HTTP/1.1\r\nX-Slow: ', drip: 'a' },
  {
    name: 'slow body, no key',
    first: post('/v1/chat/completions', 'Content-Length: 9999\r\n\r\n'),
    drip: 'a',
  },
  {
    name: 'slow body',
    first: post('/v1/messages', `${authorization}Content-Length: 9999\r\n\r\n`),
    drip: 'a',
  },
  {
    name: 'slow console',
    first: post('/console/api/session', 'Content-Length: 9999\r\n\r\n'),
    drip: 'a',
  },
  {
    name: 'half-closed',
    first: post('/v1/responses', 'Content-Length: 9999\r\n\r\n'),
    isHalfClosed: true,
  },
  {
    name: 'garbage',
    first: `\x16\x03\x01\x02\x00\x01\x00${'\x00\xff'.repeat(200)}`,
    isShort: true,
  },
  {
    name: 'huge headers',
    first: `GET / HTTP/1.1\r\n${host}X-Huge: ${'a'.repeat(40_000)}\r\n\r\n`,
    isShort: true,
  },
  {
    name: 'never reading',
    first: `GET /console/ HTTP/1.1\r\n${host}\r\n`.repeat(50),
    isDeaf: true,
  },
  { name: 'pipelining', first: `GET /healthz HTTP/1.1\r\n${host}\r\n`.repeat(100) },
  { name: 'gone at once', first: whole, isShort: true },
  { name: 'idle after an answer', first: whole },
  { name: 'invalid target', first: `GET /a//b/metrics HTTP/1.1\r\nHost: x@y\r\n\r\n` },
]

interface State {
  readonly manner: Manner
}

const figures = { opened: 0, closedByGateway: 0, refused: 0, open: 0, most: 0 }
const open = new Set<Socket<State>>()

async function openOne(manner: Manner): Promise<void> {
  figures.open += 1
  try {
    await Bun.connect<State>({
      hostname: '127.0.0.1',
      port: Number(port),
      allowHalfOpen: true,
      data: { manner },
      socket: {
        open(socket) {
          figures.opened += 1
          figures.most = Math.max(figures.most, figures.open)
          open.add(socket)
          if (manner.isDeaf) socket.pause()
          if (manner.first !== '') socket.write(Buffer.from(manner.first, 'latin1'))
          if (manner.isHalfClosed) socket.shutdown(true)
          if (manner.isShort) setTimeout(() => socket.end(), 50)
        },
        data() {},
        end(socket) {
          socket.end()
        },
        close(socket) {
          if (open.delete(socket)) {
            figures.open -= 1
            figures.closedByGateway += 1
          }
        },
        error() {},
      },
    })
  } catch {
    figures.open -= 1
    figures.refused += 1
  }
}

let next = 0
const opening = setInterval(() => {
  for (let each = 0; each < openedAtOnce && figures.open < Number(count); each += 1) {
    const manner = manners[next % manners.length]
    next += 1
    if (manner) void openOne(manner)
  }
}, openEveryMs)

const dripping = setInterval(() => {
  for (const socket of open) {
    const { drip } = socket.data.manner
    if (drip !== undefined) socket.write(drip)
  }
}, dripEveryMs)

for await (const _ of Bun.stdin.stream()) {
  // The bench closes the input at the end.
}
clearInterval(opening)
clearInterval(dripping)
process.stdout.write(JSON.stringify({ ...figures, manners: manners.length }))
process.exit(0)
