import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk, usageChunk } from '../../support/gateway/chat-events.ts'
import { chatRequest } from '../../support/gateway/chat-request.ts'
import { openSocket } from '../../support/gateway/send-raw.ts'
import { startGateway } from '../../support/gateway/start-gateway.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * An event of some megabytes is read in turns and written in portions. Between two portions the client may disconnect,
 * the money may run out, and the gateway may stop.
 */
const gateway = withGateway()
const megabyte = 1024 * 1024
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

describe('an event from which usage is removed is otherwise unchanged', () => {
  const token = { token: '\u2028', logprob: -0.25, bytes: [226, 128, 168] }
  const logprobs = { content: Array.from({ length: 3_000 }, () => token), refusal: null }
  const long = 'Grüße \u2028 世界 " \\ '.repeat(60_000)
  const echo = { tools: [{ type: 'function' }], text: { format: { type: 'text' } } }

  const shapes: [string, string][] = [
    ['log probabilities', 'hi'],
    ['log probabilities and a long text', long],
  ]
  test.each(shapes)(
    'chat-completions, usage that the client did not request: %s',
    async (_, content) => {
      const { ask, one } = gateway()
      const choices = [{ index: 0, delta: { content }, logprobs, finish_reason: null }]
      const head = { id: 'c', choices, ...echo }
      const sent = [head, { ...head, id: 'd' }].map((each) => JSON.stringify(each).slice(0, -1))
      const events = [
        roleChunk(),
        ...sent.map((text) => `data: ${text},"usage":null,"x":1.0}\n\n`),
        stopChunk(),
        usageChunk(usage),
        done,
      ]
      one.script('next', { kind: 'events', events, end: 'clean' })
      const reply = await ask({ key: 'plain', body: chatBody({ stream: true }) })
      const expected = sent.map((text) => `data: ${text},"x":1.0}\n\n`)
      const told = reply.text.replaceAll(': keep-alive\n\n', '')
      expect(told === [roleChunk(), ...expected, stopChunk(), done].join('')).toBe(true)
    },
  )

  test.each(shapes)('generate-content as one JSON list: %s', async (_, text) => {
    const { ask, one } = gateway()
    const { client } = testProtocols['generate-content']
    const model = viaModel('generate-content')
    const candidate = { content: { role: 'model', parts: [{ text }] }, logprobsResult: logprobs }
    const chunks = [
      { candidates: [candidate], ...echo },
      { candidates: [{ ...candidate, finishReason: 'STOP' }], ...echo },
    ]
    const events = chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`)
    one.script('next', { kind: 'events', events, end: 'clean' })
    const path = `/v1beta/models/${model}:streamGenerateContent`
    const reply = await ask({ key: 'any', path, body: client.body(model, true) })
    expect(Bun.deepEquals(parseJson(reply.text), chunks)).toBe(true)
  })
})

describe('the client disconnects in the middle of an event', () => {
  test.each(allProtocols)('$name: the reported usage is charged once', async (to) => {
    const { open, one, money, keys, clock } = gateway()
    const before = await money.counts()
    const events = to.upstream.events({ pieces: ['x '.repeat(0.75 * megabyte), 'end'] })
    one.script('next', { kind: 'events', events, end: 'clean' })
    const leaving = new AbortController()
    const model = viaModel(to.name)
    const response = await open({
      path: to.client.path(model, true),
      headers: to.client.keyHeaders(keys.any),
      body: to.client.body(model, true),
      signal: leaving.signal,
    })
    const stream = readStream(response)
    await stream.readUntil('x x')
    // For some vendors the gateway waits only half a second for the rest, which has several megabytes.
    const goOn = clock.standStill()
    leaving.abort()
    const entry = await money.entry(stream.requestId).finally(goOn)
    expect(entry).toMatchObject({ usage_source: 'upstream', cost_nano: 4_000_000n })
    expect(await money.counts()).toEqual({ entries: before.entries + 1, rows: before.rows + 1 })
  })
})

describe('the money runs out in the middle of an event', () => {
  const cutWords: Readonly<Record<ProtocolName, string>> = {
    'chat-completions': '"finish_reason":"length"',
    responses: '"type":"response.incomplete"',
    messages: '"stop_reason":"max_tokens"',
    'generate-content': '"finishReason":"MAX_TOKENS"',
  }

  test.each(allProtocols)('$name: everything that is charged arrives', async ({ name, client }) => {
    const tight = await startGateway()
    try {
      const text = ' gate'.repeat(megabyte)
      const events = [roleChunk(), chunk(text), chunk(' never sent')]
      tight.one.script('next', { kind: 'events', events, end: 'stall' })
      const model = viaModel('chat-completions')
      const body = { ...client.body(model, true) }
      for (const limit of ['max_tokens', 'max_completion_tokens', 'max_output_tokens'])
        delete body[limit]
      delete body['generationConfig']
      if (name === 'messages') body['max_tokens'] = 16_000
      const before = await tight.money.balance('tight')
      const reply = await tight.ask({ key: 'tightAny', path: client.path(model, true), body })
      const told = readEvents(reply.text)
      expect(told.every(({ data }) => typeof data === 'object' || data === '[DONE]')).toBe(true)
      expect(client.streamedText(told) === text).toBe(true)
      expect(reply.text.includes(cutWords[name])).toBe(true)
      expect(reply.text.includes('never sent')).toBe(false)
      expect(await tight.money.usageRow(reply.requestId)).toMatchObject({ reason: 'credit_cut' })
      const { cost_nano: cost } = await tight.money.entry(reply.requestId)
      expect(cost).toBeLessThanOrEqual(before)
    } finally {
      await tight.stop()
    }
  })
})

describe('the gateway stops while a client has read only the beginning of an event', () => {
  test('the event is complete, and the error follows it', async () => {
    const own = await startGateway()
    try {
      const text = 'x '.repeat(12 * megabyte)
      const events = [roleChunk(), chunk(text), chunk(' never sent')]
      own.one.script('next', { kind: 'events', events, end: 'stall' })
      const socket = await openSocket(own.url)
      socket.write(chatRequest(own.keys.plain, chatBody({ stream: true })))
      const pieces: Buffer[] = []
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<void>()
      let isBegun = false
      socket.on('data', (bytes: Buffer) => {
        pieces.push(bytes)
        if (!isBegun && bytes.includes('x x')) {
          isBegun = true
          socket.pause()
          begun.resolve()
        }
        if (Buffer.concat(pieces.slice(-2)).includes('\r\n0\r\n\r\n')) ended.resolve()
      })
      socket.on('close', () => ended.resolve())
      await begun.promise
      own.node.abortAll()
      await eventually('it is settled', () => own.node.ledger.openHolds === 0)
      socket.resume()
      await ended.promise
      socket.destroy()
      const told = readEvents(unchunked(Buffer.concat(pieces)))
      const { client } = testProtocols['chat-completions']
      expect(client.streamedText(told) === text).toBe(true)
      expect(client.streamedFault(told)).toBeDefined()
      expect(client.countEnds(told)).toBe(0)
      expect(await own.money.counts()).toEqual({ entries: 1, rows: 1 })
    } finally {
      await own.stop()
    }
  })
})

/** The body of a chunked answer. */
function unchunked(answer: Buffer): string {
  const pieces: Buffer[] = []
  for (let at = answer.indexOf('\r\n\r\n') + 4; ; ) {
    const end = answer.indexOf('\r\n', at)
    const length = Number.parseInt(answer.toString('latin1', at, end), 16)
    if (!(length > 0)) return Buffer.concat(pieces).toString()
    pieces.push(answer.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}
