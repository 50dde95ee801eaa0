import { gzipSync } from 'node:zlib'
import { statusBody } from '../support/fake-upstream/status-body.ts'
import { credentials } from '../support/gateway/test-provision.ts'
import type { ScriptedReply } from '../support/protocols/test-protocol.ts'
import {
  chunk,
  chunked,
  headOf,
  lastChunk,
  openHead,
  sized,
  streamType,
  wholeType,
} from './answer-bytes.ts'
import {
  broken,
  either,
  type FaultKind,
  failed,
  good,
  type Place,
  passedOn,
  type Turn,
} from './fault.ts'
import { withUsage, wrongUsages } from './wrong-usage.ts'

const said: ScriptedReply = { pieces: ['Hello ', 'there'] }
export const saidText = 'Hello there'

/** Upstreams often quote the credential in an error. */
const quoting = `bad; key ${credentials.one} and sk-another-key-0123456789`

const typeOf = ({ isStream }: Turn) => (isStream ? streamType : wholeType)
const eventsOf = ({ to }: Turn, what: ScriptedReply = said) => to.upstream.events(what)
const replyOf = ({ to }: Turn, what: ScriptedReply = said) =>
  JSON.stringify(to.upstream.reply(what))
const piecesOf = (turn: Turn) => (turn.isStream ? eventsOf(turn) : [replyOf(turn)])
/** The events up to the last word. */
const toldOf = (turn: Turn) => eventsOf(turn).slice(0, -turn.to.upstream.tailLength)
const tailOf = (turn: Turn) => eventsOf(turn).slice(-turn.to.upstream.tailLength)
/** A part of the answer before it breaks: whole words of a stream, half of a body. */
const partOf = (turn: Turn) =>
  turn.isStream ? toldOf(turn).join('') : replyOf(turn).slice(0, replyOf(turn).length / 2)

function status(
  code: number,
  outcome: FaultKind['stream']['outcome'],
  fields: Readonly<Record<string, string>> = {},
): FaultKind {
  return either(`${code}${fields['retry-after'] ? ' with Retry-After' : ''}`, outcome, (turn) => {
    const body = JSON.stringify(statusBody(turn.path, code, quoting))
    turn.socket.write(sized(code, wholeType, body, fields))
  })
}

/** Sends the beginning of an answer, and then calls `end`. */
function breaks(name: string, end: (turn: Turn) => void): FaultKind {
  const play = (turn: Turn) => {
    turn.socket.write(openHead(typeOf(turn)))
    turn.socket.write(chunk(partOf(turn)), () => end(turn))
  }
  return {
    name,
    place: 'plain',
    stream: { play, outcome: broken() },
    whole: { play, outcome: failed() },
  }
}

/** Google's streams have no final event except the end of the body. */
const endsByEnding = ({ to, isStream }: Turn) => isStream && to.name === 'generate-content'

/** The answer is complete except for its terminator. */
function closeBeforeLastChunk(turn: Turn): void {
  const whole = chunked(typeOf(turn), piecesOf(turn))
  const missing = endsByEnding(turn) ? 0 : lastChunk.length
  turn.socket.end(whole.subarray(0, whole.length - missing))
}

const unanswered: readonly FaultKind[] = [
  either('refused port', failed(), undefined, 'refused'),
  either('DNS failure', failed(), undefined, 'nameless'),
  either('bad TLS', failed(), undefined, 'no-tls'),
  either('closed unanswered', failed(), ({ socket }) => void socket.end()),
  either('reset unanswered', failed(), ({ socket }) => void socket.resetAndDestroy()),
  either('garbage instead of HTTP', failed(), ({ socket }) => {
    socket.write('SSH-2.0-OpenSSH_9.6\r\n\r\n')
  }),
  either('endless head', failed(), ({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\n${'x-more: and more\r\n'.repeat(8_000)}`)
  }),
  either('two lengths', failed(), (turn) => {
    const body = piecesOf(turn).join('')
    turn.socket.write(sized(200, typeOf(turn), body, { 'Content-Length': 3 }))
  }),
  {
    name: 'stall before headers',
    place: 'hasty-headers',
    stream: { play: () => undefined, outcome: failed(504, 'upstream_timeout') },
    whole: { play: () => undefined, outcome: failed(504, 'upstream_timeout') },
  },
]

const refused: readonly FaultKind[] = [
  ...[400, 404, 413, 422].map((code) => status(code, passedOn(code))),
  status(204, failed()),
  status(401, failed()),
  status(403, failed()),
  status(408, failed(408, 'upstream_rejected')),
  status(429, failed(429, 'upstream_rejected'), { 'retry-after': '7' }),
  status(500, failed()),
  status(503, failed(503)),
  status(529, failed(503)),
  either('redirect', failed(), ({ socket }) => {
    const location = `http://127.0.0.1:1/?key=${credentials.one}`
    socket.write(headOf(307, { location, 'content-length': 0 }))
  }),
  either('error as first event', failed(503), (turn) => {
    const event = turn.to.upstream.faultEvent(529, quoting)
    if (turn.isStream) turn.socket.write(chunked(streamType, [event]))
    else
      turn.socket.write(sized(529, wholeType, JSON.stringify(statusBody(turn.path, 529, quoting))))
  }),
  either('error 500 with status 200', failed(), (turn) => {
    const event = turn.to.upstream.faultEvent(500, quoting)
    const body = JSON.stringify(statusBody(turn.path, 500, quoting))
    turn.socket.write(chunked(typeOf(turn), [turn.isStream ? event : body]))
  }),
  either('error 400 with status 200', passedOn(400), (turn) => {
    const event = turn.to.upstream.faultEvent(400, quoting)
    const body = JSON.stringify(statusBody(turn.path, 400, quoting))
    if (turn.isStream) turn.socket.write(chunked(streamType, [event]))
    else turn.socket.write(sized(400, wholeType, body))
  }),
]

const unreadable: readonly FaultKind[] = [
  either('garbage instead of JSON or SSE', failed(), (turn) => {
    turn.socket.write(chunked(typeOf(turn), ['<html>', '<body>502</body>\n\n', '</html>']))
  }),
  either('a page instead of an answer', failed(), ({ socket }) => {
    socket.write(sized(200, 'text/html', '<html><body>Sign in</body></html>'))
  }),
  either(
    'an empty response',
    failed(),
    (turn) => void turn.socket.write(sized(200, typeOf(turn), '')),
  ),
  either('packed garbage', failed(), (turn) => {
    turn.socket.write(chunked(typeOf(turn), piecesOf(turn), { 'content-encoding': 'gzip' }))
  }),
  either('packed in an unknown way', failed(), (turn) => {
    turn.socket.write(chunked(typeOf(turn), piecesOf(turn), { 'content-encoding': 'lzma' }))
  }),
  either('a packed page', failed(), ({ socket }) => {
    socket.write(headOf(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' }))
    socket.end(gzipSync('<html></html>').subarray(0, 12))
  }),
  {
    name: 'stall before the first token',
    place: 'hasty-token',
    stream: {
      play: ({ socket }) => void socket.write(openHead(streamType) + chunk(': hello\n\n')),
      outcome: failed(504, 'upstream_timeout'),
    },
    whole: {
      play: ({ socket }) => void socket.write(openHead(wholeType)),
      outcome: failed(504, 'upstream_timeout'),
    },
  },
]

const midway: readonly FaultKind[] = [
  {
    name: 'stall mid-stream',
    place: 'hasty-idle',
    stream: {
      play: (turn) =>
        void turn.socket.write(
          Buffer.concat([Buffer.from(openHead(streamType)), chunk(partOf(turn))]),
        ),
      outcome: broken(504, 'upstream_timeout'),
    },
    whole: {
      play: (turn) => void turn.socket.write(openHead(wholeType) + chunk(partOf(turn))),
      outcome: failed(504, 'upstream_timeout'),
    },
  },
  breaks('reset between chunks', ({ socket }) => void socket.resetAndDestroy()),
  breaks('reset mid-chunk', ({ socket }) => {
    socket.write('ff\r\ndata: {"choi', () => socket.resetAndDestroy())
  }),
  breaks('half-close mid-chunk', ({ socket }) => void socket.end('ff\r\ndata: {"choi')),
  breaks('half-close between chunks', ({ socket }) => void socket.end()),
  {
    name: 'closed before the last chunk',
    place: 'plain',
    stream: { play: closeBeforeLastChunk, outcome: good() },
    whole: { play: closeBeforeLastChunk, outcome: failed() },
  },
  breaks('a chunk without a size', ({ socket }) => void socket.write('what?\r\n')),
  breaks('end without terminator', ({ socket }) => void socket.write(lastChunk)),
  breaks('end within an event', ({ socket }) => {
    socket.write(Buffer.concat([chunk('data: {"choi'), Buffer.from(lastChunk)]))
  }),
  {
    ...breaks('an error after content', (turn) => {
      const rest = turn.isStream ? turn.to.upstream.faultEvent(500, quoting) : quoting
      turn.socket.write(Buffer.concat([chunk(rest), Buffer.from(lastChunk)]))
    }),
  },
  {
    ...breaks('endless line', (turn) => {
      if (!turn.isStream) return void turn.socket.write('x'.repeat(16 * 1024))
      const more = chunk('x'.repeat(2 ** 20))
      turn.socket.write(chunk('data: '))
      // A little more than an event may have.
      for (let count = 0; count < 33; count += 1) turn.socket.write(more)
    }),
    isLarge: true,
  },
]

const readable: readonly FaultKind[] = [
  either('no usage', good('estimated'), (turn) => {
    const silent = { ...said, hasUsage: false }
    const pieces = turn.isStream ? eventsOf(turn, silent) : [replyOf(turn, silent)]
    turn.socket.write(chunked(typeOf(turn), pieces))
  }),
  ...wrongUsages.map(({ name, wrong, charge }) =>
    either(`wrong usage: ${name}`, good(charge), (turn) => {
      const pieces = piecesOf(turn).map((piece) => withUsage(piece, wrong))
      turn.socket.write(chunked(typeOf(turn), pieces))
    }),
  ),
  either('one byte at a time', good(), (turn) => {
    const bytes = Buffer.from(piecesOf(turn).join(''))
    const { socket } = turn
    for (const byte of openHead(typeOf(turn))) socket.write(byte)
    for (const byte of bytes) socket.write(chunk(Uint8Array.of(byte)))
    for (const byte of lastChunk) socket.write(byte)
  }),
  either('duplicate terminator', good(), (turn) => {
    if (turn.isStream) {
      const again = endsByEnding(turn) ? [] : tailOf(turn).slice(-1)
      turn.socket.write(chunked(streamType, [...eventsOf(turn), ...again]))
      if (endsByEnding(turn)) turn.socket.write(lastChunk)
    } else turn.socket.write(sized(200, wholeType, replyOf(turn)) + lastChunk)
  }),
  either('a second answer behind the first', good(), (turn) => {
    const answer = chunked(typeOf(turn), piecesOf(turn))
    turn.socket.write(Buffer.concat([answer, Buffer.from(sized(500, wholeType, '{}'))]))
  }),
  either('no length, ended by closing', good(), (turn) => {
    turn.socket.write(headOf(200, { 'content-type': typeOf(turn) }))
    turn.socket.end(piecesOf(turn).join(''))
  }),
  either('packed unasked', good(), (turn) => {
    const head = headOf(200, { 'content-type': typeOf(turn), 'content-encoding': 'gzip' })
    turn.socket.write(head)
    turn.socket.end(gzipSync(piecesOf(turn).join('')))
  }),
  either('news before the answer', good(), (turn) => {
    turn.socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n')
    turn.socket.write(chunked(typeOf(turn), piecesOf(turn)))
  }),
  either('bare line feeds in the head', good(), (turn) => {
    const body = piecesOf(turn).join('')
    turn.socket.write(
      sized(200, typeOf(turn), '')
        .replaceAll('\r\n', '\n')
        .replace(': 0', `: ${Buffer.byteLength(body)}`),
    )
    turn.socket.write(body)
  }),
]

/** Faults that a proxy can change: how connections end, and bodies that arrive in pieces. */
const throughProxies = [
  'closed unanswered',
  'reset unanswered',
  'garbage instead of HTTP',
  '429 with Retry-After',
  '500',
  'error as first event',
  'reset between chunks',
  'half-close mid-chunk',
  'end without terminator',
  'no usage',
  'one byte at a time',
]

/** The main faults again, behind proxies, and those that only a proxy has. */
export function proxiedFaults(places: readonly Place[]): readonly FaultKind[] {
  const main = faultKinds.filter(({ name }) => throughProxies.includes(name))
  const again = places.flatMap((place) =>
    main.map((fault) => ({ ...fault, name: `${place}: ${fault.name}`, place })),
  )
  return [...again, either('a proxy that says nothing', failed(), undefined, 'silent-proxy')]
}

export const faultKinds: readonly FaultKind[] = [
  ...unanswered,
  ...refused,
  ...unreadable,
  ...midway,
  ...readable,
]
