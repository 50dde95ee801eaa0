import { afterEach, describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { startGateway } from '../../support/gateway/start-gateway.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
afterEach(() => gateway().setDraining(false))

describe('health', () => {
  test('is public, with the request id', async () => {
    const { ask } = gateway()
    const rows = { '/healthz': 'ok\n', '/readyz': 'ready\n' }
    for (const [path, text] of Object.entries(rows)) {
      const reply = await ask({ path })
      expect(reply.status).toBe(200)
      expect(reply.text).toBe(text)
      expect(reply.requestId).not.toBe('')
      expect(reply.headers.get('x-request-id')).toBe(reply.requestId)
      expect(reply.headers.get('request-id')).toBe(reply.requestId)
    }
  })

  test('while draining: alive, not ready, and no new requests', async () => {
    const { ask, open, one, money, setDraining } = gateway()
    const gate = Promise.withResolvers<void>()
    const events = [roleChunk(), chunk('Hi'), stopChunk(), done]
    const gates = [undefined, undefined, gate.promise]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    await stream.readUntil('Hi')

    setDraining(true)
    expect((await ask({ path: '/healthz' })).status).toBe(200)
    expect((await ask({ path: '/readyz' })).status).toBe(503)
    const before = await money.counts()
    const shapes: [string, object][] = [
      ['/v1/chat/completions', { error: { code: 'unavailable', type: 'server_error' } }],
      ['/v1/messages', { type: 'error', error: { type: 'overloaded_error' } }],
      ['/v1beta/models/gpt-x:generateContent', { error: { status: 'UNAVAILABLE' } }],
    ]
    for (const [path, body] of shapes) {
      const refused = await ask({ key: 'plain', path, body: chatBody() })
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(refused.json).toMatchObject(body)
    }
    expect(one.requests).toHaveLength(1)
    expect((await money.counts()).entries).toBe(before.entries)

    gate.resolve()
    expect(await stream.readAll()).toBe(events.join(''))
  })

  test('a request ended by the drain gets the reason and is settled', async () => {
    // A gateway that has ended its requests accepts no others.
    const own = await startGateway()
    const { open, one, money, node } = own
    const events = [roleChunk(), chunk('Hi'), chunk('never'), done]
    const never = Promise.withResolvers<void>().promise
    one.script('next', {
      kind: 'events',
      events,
      end: 'clean',
      gates: [undefined, undefined, never],
    })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    await stream.readUntil('Hi')
    node.abortAll()
    const text = await stream.readAll()
    expect(text).toContain('"code":"unavailable"')
    expect(text).not.toContain('[DONE]')
    await one.requests[0]?.whenAborted
    expect(await money.usageRow(stream.requestId)).toMatchObject({
      status: 503,
      reason: 'unavailable',
    })
    expect(await money.entry(stream.requestId)).toMatchObject({ usage_source: 'estimated' })
    await own.stop()
  })
})
