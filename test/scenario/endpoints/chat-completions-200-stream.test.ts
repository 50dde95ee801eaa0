import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk, usageChunk } from '../../support/gateway/chat-events.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const streaming = chatBody({ stream: true, max_tokens: 1_000 })
const streamingWithUsage = { ...streaming, stream_options: { include_usage: true } }

/** The events of an upstream that was asked for usage: `null` in each chunk, then the figures alone. */
const askedFor = [
  roleChunk({ usage: null }),
  chunk('Hel', { usage: null }),
  ': a comment\n\n',
  chunk('lo 🌍', { usage: null }),
  stopChunk({ usage: null }),
  usageChunk({ prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 }),
  done,
]

describe('a stream', () => {
  test('is complete although its last event lacks the blank line', async () => {
    const { ask, one, money } = gateway()
    const events = [...askedFor.slice(0, -1), done.slice(0, -1)]
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streamingWithUsage })
    expect(reply.text.trimEnd()).toBe(askedFor.join('').trimEnd())
    expect(await money.entry(reply.requestId)).toMatchObject({ usage_source: 'upstream' })
  })

  test('is forwarded unchanged to a client that requested usage', async () => {
    const { ask, one, money } = gateway()
    one.script('next', { kind: 'events', events: askedFor, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streamingWithUsage })
    expect(reply.status).toBe(200)
    expect(reply.text).toBe(askedFor.join(''))
    expect(one.requests[0]?.body).toBe(JSON.stringify(streamingWithUsage))
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(reply.headers.get('x-accel-buffering')).toBe('no')
    expect(reply.headers.get('x-request-id')).toBe(reply.requestId)
    expect(await money.entry(reply.requestId)).toMatchObject({
      cost_nano: 4_500_000n,
      input_tokens: 1_000,
      output_tokens: 200,
      usage_source: 'upstream',
      flags: '',
    })
    const row = await money.usageRow(reply.requestId)
    expect(row).toMatchObject({ stream: 1, status: 200, reason: null, cost_nano: 4_500_000n })
    expect(row.first_token_ms).toBeNumber()
  })

  test('hides usage that only the gateway requested, and nothing else', async () => {
    const { ask, one, money } = gateway()
    one.script('next', { kind: 'events', events: askedFor, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streaming })
    expect(reply.status).toBe(200)
    const expected = [
      roleChunk(),
      chunk('Hel'),
      ': a comment\n\n',
      chunk('lo 🌍'),
      stopChunk(),
      done,
    ]
    expect(reply.text).toBe(expected.join(''))
    expect(reply.text).not.toContain('usage')
    expect(parseJson(one.requests[0]?.body ?? '')).toEqual({
      ...streaming,
      stream_options: { include_usage: true },
    })
    expect((await money.entry(reply.requestId)).cost_nano).toBe(4_500_000n)
  })

  test('keeps the other stream options when it adds its own', async () => {
    const { ask, one } = gateway()
    const options = { include_usage: false, include_obfuscation: false }
    const body = chatBody({ stream: true, stream_options: options })
    const reply = await ask({ key: 'plain', body })
    expect(reply.text).not.toContain('usage')
    expect(parseJson(one.requests[0]?.body ?? '')).toEqual({
      ...body,
      stream_options: { ...options, include_usage: true },
    })
  })

  test('replaces the model and adds the request for usage', async () => {
    const { ask, one } = gateway()
    const reply = await ask({ key: 'plain', body: chatBody({ model: 'gpt-y', stream: true }) })
    expect(reply.status).toBe(200)
    expect(parseJson(one.requests[0]?.body ?? '')).toMatchObject({
      model: 'their-name-for-y',
      stream_options: { include_usage: true },
    })
  })

  test('ends with exactly one [DONE], whatever the upstream sends after it', async () => {
    const { ask, one, money } = gateway()
    const events = [roleChunk(), chunk('Hi'), stopChunk(), done, done, chunk('more')]
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streamingWithUsage })
    expect(reply.text).toBe(events.slice(0, 4).join(''))
    expect(await money.entry(reply.requestId)).toMatchObject({ usage_source: 'estimated' })
  })

  const cuts = [1, 2, 3, 7, 64, 1_000]
  test.each(cuts)('arrives whole when it comes in pieces of %d bytes', async (bytesPerWrite) => {
    const { ask, one, money } = gateway()
    const of = { kind: 'events', events: askedFor, end: 'clean' } as const
    one.script('next', { kind: 'split', bytesPerWrite, of })
    one.script('next', { kind: 'split', bytesPerWrite, of })
    const whole = await ask({ key: 'plain', body: streamingWithUsage })
    expect(whole.text).toBe(askedFor.join(''))
    const hidden = await ask({ key: 'plain', body: streaming })
    expect(hidden.text).toBe(
      [roleChunk(), chunk('Hel'), ': a comment\n\n', chunk('lo 🌍'), stopChunk(), done].join(''),
    )
    expect((await money.entry(hidden.requestId)).cost_nano).toBe(4_500_000n)
  })

  test('may use CRLF', async () => {
    const { ask, one, money } = gateway()
    const events = askedFor.map((event) => event.replaceAll('\n', '\r\n'))
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streamingWithUsage })
    expect(reply.text).toBe(events.join(''))
    expect((await money.entry(reply.requestId)).cost_nano).toBe(4_500_000n)
  })

  test('without usage is charged by an estimate, which is marked', async () => {
    const { ask, one, money } = gateway()
    one.script('next', { kind: 'no-usage' })
    const reply = await ask({ key: 'plain', body: streaming })
    expect(reply.text.endsWith(done)).toBe(true)
    const entry = await money.entry(reply.requestId)
    expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
    expect(entry.output_tokens).toBeGreaterThan(3)
    expect(entry.cost_nano).toBeGreaterThan(0n)
  })

  test('with absurd usage is charged up to the limits of the model, which is marked', async () => {
    const { ask, one, money } = gateway()
    const usage = { prompt_tokens: 9e14, completion_tokens: 9e14, total_tokens: 18e14 }
    one.script('next', { kind: 'lie-usage', usage })
    const reply = await ask({ key: 'plain', body: streaming })
    const entry = await money.entry(reply.requestId)
    expect(entry).toMatchObject({ input_tokens: 128_000, output_tokens: 16_384 })
    expect(entry.usage_source).toBe('clamped')
  })

  test('the last usage report counts, whatever chunk contains it', async () => {
    const { ask, one, money } = gateway()
    const early = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
    const late = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
    const events = [roleChunk(), chunk('Hi', { usage: early }), stopChunk({ usage: late }), done]
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'plain', body: streaming })
    expect(reply.text).toBe([roleChunk(), chunk('Hi'), stopChunk(), done].join(''))
    expect(await money.entry(reply.requestId)).toMatchObject({
      input_tokens: 10,
      output_tokens: 20,
      cost_nano: 225_000n,
    })
  })

  test('forwards events while the upstream is still generating', async () => {
    const { open, one } = gateway()
    const gate = Promise.withResolvers<void>()
    const events = [roleChunk(), chunk('first'), chunk('second'), stopChunk(), done]
    one.script('next', {
      kind: 'events',
      events,
      end: 'clean',
      gates: [undefined, undefined, gate.promise],
    })
    const response = await open({ key: 'plain', body: streamingWithUsage })
    const stream = readStream(response)
    expect(await stream.readUntil('first')).not.toContain('second')
    gate.resolve()
    expect(await stream.readAll()).toBe(events.join(''))
  })
})
