import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, event, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const told = [roleChunk(), chunk('Hello '), chunk('there')]
const quoting = `overloaded; key ${credentials.one} and sk-another-key-0123456789`

describe('a stream that breaks after content', () => {
  const rows: { name: string; after: string[]; end: 'clean' | 'cut' }[] = [
    { name: 'the connection is cut', after: [''], end: 'cut' },
    { name: 'the stream ends without [DONE]', after: [''], end: 'clean' },
    { name: 'the stream ends inside an event', after: ['data: {"choi'], end: 'clean' },
    {
      name: 'an error event arrives',
      after: [event({ error: { message: quoting } }), done],
      end: 'clean',
    },
    {
      name: 'an error event with a string arrives',
      after: [event({ error: quoting }), done],
      end: 'clean',
    },
  ]
  test.each(rows)(
    '$name: the client gets an error and is charged for the delivered content',
    async ({ after, end }) => {
      const { open, one, two, money } = gateway()
      const gate = Promise.withResolvers<void>()
      const gates = [...told.map(() => undefined), gate.promise]
      one.script('next', { kind: 'events', events: [...told, ...after], end, gates })
      const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
      await stream.readUntil('there')
      gate.resolve()
      const text = await stream.readAll()
      expect(text.startsWith(told.join(''))).toBe(true)
      expect(text).not.toContain('[DONE]')
      expect(text).not.toContain('sk-')
      const events = text.trimEnd().split('\n\n')
      expect(events.at(-1)).toStartWith('data: {"error":{"message":')
      expect(events.filter((each) => each.includes('"error"'))).toHaveLength(1)
      expect(two.requests).toHaveLength(0)
      const entry = await money.entry(stream.requestId)
      expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
      expect(entry.output_tokens).toBeGreaterThan(0)
      // The text of the error is not part of the answer, and is not charged.
      expect(entry.output_tokens).toBeLessThan(6)
      expect(await money.usageRow(stream.requestId)).toMatchObject({
        status: 502,
        reason: 'upstream_error',
        cost_nano: entry.cost_nano,
      })
    },
  )

  test('the upstream becomes silent: the client gets an error after the timeout', async () => {
    const { open, one, money, clock } = gateway()
    one.script('next', { kind: 'events', events: told, end: 'stall' })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    const request = await one.whenRequested(1)
    await stream.readUntil('there')
    clock.passTime(121_000)
    const text = await stream.readAll()
    expect(text).toContain('upstream_timeout')
    expect(text).not.toContain('[DONE]')
    await request.whenAborted
    expect(await money.usageRow(stream.requestId)).toMatchObject({
      status: 504,
      reason: 'upstream_timeout',
    })
    expect(await money.entry(stream.requestId)).toMatchObject({ usage_source: 'estimated' })
  })

  test('a silence within the limit is bridged by comments, which change nothing', async () => {
    const { open, one, clock } = gateway()
    const gate = Promise.withResolvers<void>()
    const events = [...told, stopChunk(), done]
    const gates = [...told.map(() => undefined), gate.promise]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    await stream.readUntil('there')
    clock.passTime(16_000)
    await stream.readUntil(': keep-alive\n\n')
    gate.resolve()
    const text = await stream.readAll()
    expect(text.replaceAll(': keep-alive\n\n', '')).toBe(events.join(''))
  })

  test('an event without an end is not buffered for ever', async () => {
    const { open, one } = gateway()
    const endless = Array.from({ length: 34 }, () => 'x'.repeat(2 ** 20))
    one.script('next', { kind: 'events', events: [...told, 'data: ', ...endless], end: 'stall' })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    const text = await stream.readAll()
    expect(text).toContain('"code":"upstream_error"')
    expect(text).not.toContain('xxx')
    await one.requests[0]?.whenAborted
  })

  test('chunks that are not JSON are forwarded unchanged', async () => {
    const { ask, one, money } = gateway()
    const events = [
      ...told,
      'data: not json\n\n',
      'data: [1]\n\n',
      'event: odd\n\n',
      stopChunk(),
      done,
    ]
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask({ key: 'plain', body: chatBody({ stream: true }) })
    expect(reply.text).toBe(events.join(''))
    expect(await money.entry(reply.requestId)).toMatchObject({ usage_source: 'estimated' })
  })
})
