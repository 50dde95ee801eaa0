import { describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { openSocket } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

/**
 * The runtime's timers have a resolution of four seconds, so an idle connection is closed after four to eight seconds:
 * always later than a body that is not sent.
 */
const gateway = withGateway({ idleSeconds: 8, bodyLimits: { bodyMs: 1_000 } })

const host = 'Host: gateway.example\r\n'
const dripEveryMs = 300

interface Ending {
  readonly answers: readonly number[]
  readonly text: string
}

/** Sends the beginning at once and then byte by byte, until the gateway closes the connection. */
async function sendUntilClosed(beginning: string, drip: string): Promise<Ending> {
  const socket: Socket = await openSocket(gateway().url)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
  })
  if (beginning !== '') socket.write(beginning)
  const dripping = drip === '' ? undefined : setInterval(() => socket.write(drip), dripEveryMs)
  await closed
  clearInterval(dripping)
  const answers = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
  return { answers, text }
}

function post(path: string, key = '', framing = 'Content-Length: 100000\r\n'): string {
  const authorization = key === '' ? '' : `Authorization: Bearer ${key}\r\n`
  return `POST ${path} HTTP/1.1\r\n${host}${authorization}${framing}\r\n`
}

type Row = [name: string, beginning: () => string, drip: string, answers: number[]]

const chunked = 'Transfer-Encoding: chunked\r\n'
const key = () => gateway().keys.plain
const get = (path: string) => () => `GET ${path} HTTP/1.1\r\n${host}\r\n`
const stream = () => {
  const body = '{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":"hi"}]}'
  const length = `Content-Length: ${body.length}\r\n`
  return post('/v1/chat/completions', key(), length) + body
}

const rows: Row[] = [
  ['nothing is sent', () => '', '', []],
  ['one byte', () => 'G', '', []],
  ['headers byte by byte', () => 'GET / HTTP/1.1\r\nX-Slow: ', 'a', []],
  ['a body byte by byte, without a key', () => post('/v1/chat/completions'), 'a', [401]],
  ['a body that stops, without a key', () => post('/v1/chat/completions'), '', [401]],
  [
    'a chunk byte by byte, without a key',
    () => `${post('/v1/messages', '', chunked)}ffff\r\n`,
    'a',
    [401],
  ],
  ['a body byte by byte, with a key', () => post('/v1/chat/completions', key()), 'a', [408]],
  ['a body that stops, with a key', () => post('/v1/responses', key()), '', [408]],
  [
    'a chunk byte by byte, with a key',
    () => `${post('/v1/messages', key(), chunked)}ff\r\n`,
    'a',
    [408],
  ],
  ['a body byte by byte, token count', () => post('/v1/responses/input_tokens', key()), 'a', [408]],
  ['a body byte by byte, console', () => post('/console/api/session'), 'a', [404]],
  ['a body that stops, console', () => post('/console/api/session'), '', [404]],
  ['a body byte by byte, unknown path', () => post('/nothing'), 'a', [404]],
  ['a body byte by byte, healthz', () => post('/healthz'), 'a', [200]],
  ['a body byte by byte, metrics', () => post('/metrics'), 'a', [200]],
  ['a body byte by byte, invalid target', () => post('/a//b'), 'a', [400]],
  [
    'a body byte by byte, declared too large',
    () => post('/v1/responses', key(), 'Content-Length: 99999999\r\n'),
    'a',
    [413],
  ],
  ['idle after a response', get('/healthz'), '', [200]],
  ['idle after a refusal', get('/v1/models'), '', [401]],
  ['idle after a console page', get('/console/'), '', [404]],
  ['idle after a stream', stream, '', [200]],
  ['headers byte by byte after a response', () => `${get('/healthz')()}GET /`, 'a', [200]],
  ['headers byte by byte after a stream', () => `${stream()}`, 'G', [200]],
]

describe('every connection is closed in time, whatever is sent, with or without a key', () => {
  test.concurrent.each(rows)('%s', async (_, beginning, drip, answers) => {
    const ending = await sendUntilClosed(beginning(), drip)
    expect(ending.answers).toEqual(answers)
  })
})
