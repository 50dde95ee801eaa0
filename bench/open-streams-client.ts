// Opens many streams at one address and keeps reading them, in its own process and over raw TCP. Arguments: port,
// number of streams. Prints its counters each second until every stream has received three events on average: by then,
// buffers have reached their final size. Reads on until killed.
import { benchHeaders, completionsPath, requestBody } from './bench-request.ts'

const [port, streamCount] = process.argv.slice(2).map(Number)
if (port === undefined || streamCount === undefined) throw new Error('port and count are needed')

const openAtOnce = 250
const reportEveryMs = 1000
const body = requestBody({ eventCount: 10_000, intervalMs: 1000 })
const headers = { host: `127.0.0.1:${port}`, ...benchHeaders, 'content-length': `${body.length}` }
const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
const request = `POST ${completionsPath} HTTP/1.1\r\n${head.join('')}\r\n${body}`
const eventMark = Buffer.from('"content":')
const counters = { streaming: 0, events: 0, refused: 0, closed: 0 }

const reports = setInterval(() => {
  const settled = counters.streaming === streamCount && counters.events >= 3 * streamCount
  process.stdout.write(`${JSON.stringify({ settled, ...counters })}\n`)
  // After this line the parent no longer reads, and writing to a closed pipe would end this process.
  if (settled) clearInterval(reports)
}, reportEveryMs)

for (let opened = 0; opened < streamCount; opened += openAtOnce) {
  const batch = Math.min(openAtOnce, streamCount - opened)
  await Promise.all(Array.from({ length: batch }, openStream))
}

// Resolves with the head of the answer, so that the listen queue never overflows.
function openStream(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let answered = false
  const fail = () => {
    counters.closed += 1
    resolve()
  }
  Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      open(socket) {
        socket.write(request)
      },
      data(_socket, bytes) {
        if (!answered) {
          answered = true
          if (bytes.toString('latin1', 0, 15).startsWith('HTTP/1.1 200')) counters.streaming += 1
          else counters.refused += 1
          resolve()
        }
        if (bytes.includes(eventMark)) counters.events += 1
      },
      close: fail,
    },
  }).catch(fail)
  return promise
}
