import { describe, expect, test } from 'bun:test'
import { limits } from '../../../src/gateway/limits.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk, usageChunk } from '../../support/gateway/chat-events.ts'
import { chatRequest } from '../../support/gateway/chat-request.ts'
import { openSocket } from '../../support/gateway/send-raw.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

describe('the client disconnects', () => {
  test('in the middle of an endless stream: the upstream request is stopped, and the delivered content is charged', async () => {
    const { open, one, money } = gateway()
    const events = [roleChunk(), chunk('Hello '), chunk('there'), chunk('never sent'), done]
    const never = Promise.withResolvers<void>().promise
    const gates = [undefined, undefined, undefined, never]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const leaving = new AbortController()
    const body = chatBody({ stream: true })
    const response = await open({ key: 'plain', body, signal: leaving.signal })
    const stream = readStream(response)
    const { requestId } = stream
    await stream.readUntil('there')
    leaving.abort()
    await waitOut(gateway())
    const [request] = one.requests
    await request?.whenAborted
    expect(await money.usageRow(requestId)).toMatchObject({
      status: 499,
      reason: 'client_gone',
      stream: 1,
    })
    const entry = await money.entry(requestId)
    expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
    expect(entry.output_tokens).toBeGreaterThan(0)
    expect(entry.output_tokens).toBeLessThan(6)
  })

  test('after usage was reported: the usage is charged', async () => {
    const { open, one, money } = gateway()
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const events = [roleChunk(), chunk('Hi'), stopChunk(), usageChunk(usage), chunk('!'), done]
    const never = Promise.withResolvers<void>().promise
    const gates = [undefined, undefined, undefined, undefined, undefined, never]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const leaving = new AbortController()
    const body = chatBody({ stream: true })
    const response = await open({ key: 'plain', body, signal: leaving.signal })
    const stream = readStream(response)
    await stream.readUntil('!')
    leaving.abort()
    await waitOut(gateway())
    await one.requests[0]?.whenAborted
    const entry = await money.entry(stream.requestId)
    expect(entry).toMatchObject({ usage_source: 'upstream', cost_nano: 125_000n })
  })

  test('between the finish and the usage: the usage is charged, hidden reasoning included', async () => {
    const { open, one, money, node } = gateway()
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 3_000,
      total_tokens: 4_000,
      completion_tokens_details: { reasoning_tokens: 2_990 },
    }
    const events = [roleChunk(), chunk('All of it'), stopChunk(), usageChunk(usage), done]
    const gone = Promise.withResolvers<void>()
    const gates = [undefined, undefined, undefined, gone.promise]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const leaving = new AbortController()
    const body = chatBody({ stream: true, max_tokens: 4_000 })
    const stream = readStream(await open({ key: 'plain', body, signal: leaving.signal }))
    await stream.readUntil('"stop"')
    leaving.abort()
    await eventually('it is noticed', () => node.disconnectedReads() === 1)
    gone.resolve()
    expect(await money.entry(stream.requestId)).toMatchObject({
      usage_source: 'upstream',
      reasoning_tokens: 2_990,
      cost_nano: 32_500_000n,
    })
    expect(await money.usageRow(stream.requestId)).toMatchObject({
      status: 499,
      reason: 'client_gone',
    })
    expect(one.requests[0]?.aborted).toBe(false)
  })

  test('an upstream that fails after the client has disconnected: no charge, no retry', async () => {
    const { url, keys, one, two, money, node } = gateway()
    const gone = Promise.withResolvers<void>()
    const failure = 'data: {"error":{"message":"broken","code":500}}\n\n'
    const gates = [gone.promise]
    one.script('next', { kind: 'events', events: [failure], end: 'clean', gates })
    const before = await money.spentBy('plain')
    const socket = await openSocket(url)
    socket.write(chatRequest(keys.plain, chatBody({ stream: true })))
    await one.whenRequested(1)
    socket.destroy()
    await eventually('it is noticed', () => node.disconnectedReads() === 1)
    gone.resolve()
    await eventually('it is settled', () => node.ledger.openHolds === 0)
    await node.ledger.shipped()
    expect(await money.spentBy('plain')).toBe(before)
    expect(two.requests).toHaveLength(0)
  })

  test('more at once than the limit of an account: the others are stopped and estimated', async () => {
    const { url, keys, one, node, clock, money } = gateway()
    const count = limits.readersPerAccountMax + 5
    one.script({}, { kind: 'stall-before-headers' })
    const before = await money.counts()
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = await openSocket(url)
        socket.write(chatRequest(keys.plain, chatBody({ model: 'gpt-y' })))
        return socket
      }),
    )
    await eventually('all are asked', () => one.requests.length === count)
    for (const socket of sockets) socket.destroy()
    await eventually('the others are settled', () => node.ledger.openHolds === count - 5)
    expect(node.disconnectedReads()).toBe(limits.readersPerAccountMax)
    expect(one.requests.filter((request) => request.aborted).length).toBeLessThanOrEqual(5)
    clock.passTime(31_000)
    await eventually('all are settled', () => node.ledger.openHolds === 0)
    expect(await money.counts()).toEqual({
      entries: before.entries + count,
      rows: before.rows + count,
    })
    expect(node.disconnectedReads()).toBe(0)
  })

  const waits = [
    { name: 'before a reply that is not streamed', isStream: false },
    { name: 'before the first byte of a stream', isStream: true },
  ]
  test.each(waits)('$name: the upstream is stopped, and settled once', async ({ isStream }) => {
    const { url, keys, one, two, money } = gateway()
    one.script('next', { kind: 'stall-before-headers' })
    const before = await money.counts()
    const socket = await openSocket(url)
    socket.write(chatRequest(keys.plain, chatBody({ stream: isStream })))
    const request = await one.whenRequested(1)
    socket.destroy()
    await waitOut(gateway())
    await request.whenAborted
    await eventually('the row', async () => (await money.counts()).rows === before.rows + 1)
    expect((await money.counts()).entries).toBe(before.entries + 1)
    // No client is left to answer, so no other upstream is tried.
    expect(two.requests).toHaveLength(0)
  })

  test('with its body half sent: no upstream gets a request, and nothing is charged', async () => {
    const { url, keys, one, money, pending } = gateway()
    const before = await money.counts()
    const socket = await openSocket(url)
    const request = chatRequest(keys.plain, chatBody())
    socket.write(request.slice(0, -20))
    await eventually('the request is under way', () => pending() === 1)
    socket.destroy()
    await eventually('the request is over', () => pending() === 0)
    expect(one.requests).toHaveLength(0)
    expect((await money.counts()).entries).toBe(before.entries)
  })
})

describe('a client that does not read', () => {
  test('holds the upstream back, and gets everything once it reads', async () => {
    const { url, keys, one, money } = gateway()
    const eventCount = 1_500
    const text = 'x'.repeat(64 * 1024)
    const events = [...Array.from({ length: eventCount }, () => chunk(text)), done]
    let taken = 0
    // The upstream checks gate n right before it sends event n.
    const gates = new Proxy([], {
      get: (_, name) => {
        taken = Math.max(taken, Number(name))
      },
    })
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const socket = await openSocket(url)
    socket.pause()
    socket.write(chatRequest(keys.plain, chatBody({ stream: true })))
    await eventually('the upstream sends', () => taken > 10)
    await eventually(
      'the upstream is held back',
      isSteady(() => taken),
    )
    const takenMegabytes = (taken * text.length) / 2 ** 20
    expect(takenMegabytes).toBeLessThan(32)

    let received = 0
    let tail = ''
    const finished = Promise.withResolvers<void>()
    socket.on('data', (bytes) => {
      received += bytes.length
      tail = (tail + bytes.toString('latin1')).slice(-64)
      if (tail.includes('[DONE]')) finished.resolve()
    })
    socket.resume()
    await finished.promise
    expect(received).toBeGreaterThan(eventCount * text.length)
    socket.destroy()
    await eventually('it is settled', async () => (await money.counts()).entries > 0)
  })
})

/** True once a figure has been the same in many consecutive checks. */
function isSteady(read: () => number): () => boolean {
  let last = Number.NaN
  let looks = 0
  return () => {
    const value = read()
    looks = value === last ? looks + 1 : 0
    last = value
    return looks > 60
  }
}
