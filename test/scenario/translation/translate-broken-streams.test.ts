import { describe, expect, test } from 'bun:test'
import type { EventsBehaviour } from '../../support/fake-upstream/behaviour.ts'
import { readStream, type StreamReader } from '../../support/gateway/stream-reader.ts'
import { credentials, viaModel } from '../../support/gateway/test-provision.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import type { ScriptedReply } from '../../support/protocols/test-protocol.ts'
import { allProtocols, type Pair } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const said: ScriptedReply = { pieces: ['Hello ', 'there'] }
const quoting = `overloaded; key ${credentials.one} and sk-another-key-0123456789`

/** An upstream's frames up to its last word, and the remaining ones. */
function split({ to }: Pair) {
  const events = to.upstream.events(said)
  const cut = events.length - to.upstream.tailLength
  return { told: events.slice(0, cut), tail: events.slice(cut) }
}

function upstreamPath({ to }: Pair): string {
  return to.upstream.path(viaModel(to.name), true).replace(/\?.*/, '')
}

async function openStream(
  pair: Pair,
  behaviour: Omit<EventsBehaviour, 'kind'>,
  signal?: AbortSignal,
): Promise<StreamReader> {
  const { one, open } = gateway()
  const { from, to } = pair
  one.script({ path: upstreamPath(pair) }, { kind: 'events', ...behaviour })
  const model = viaModel(to.name)
  const path = from.client.path(model, true)
  const body = from.client.body(model, true)
  const response = await open({ key: 'any', path, body, ...(signal ? { signal } : {}) })
  expect(response.status).toBe(200)
  return readStream(response)
}

/** The stream as the client sees it when it breaks after the upstream's last word. */
async function breakAfter(pair: Pair, after: readonly string[], end: 'clean' | 'cut') {
  const { told } = split(pair)
  const gate = Promise.withResolvers<void>()
  const gates = [...told.map(() => undefined), gate.promise]
  const stream = await openStream(pair, { events: [...told, ...after], end, gates })
  await stream.readUntil('there')
  gate.resolve()
  return { requestId: stream.requestId, text: await stream.readAll() }
}

function expectBroken({ from }: Pair, text: string, reason: string) {
  const events = readEvents(text)
  expect(from.client.streamedText(events)).toBe('Hello there')
  expect(from.client.countEnds(events)).toBe(0)
  expect(from.client.streamedFault(events)).toMatchObject({ reason, message: expect.any(String) })
  expect(text).not.toContain('sk-')
}

/** The charge covers the delivered words, and not the text of the error. */
async function expectDelivered(requestId: string, row: { status: number; reason: string }) {
  const { money } = gateway()
  const entry = await money.entry(requestId)
  expect(entry.output_tokens).toBeGreaterThan(1)
  expect(entry.output_tokens).toBeLessThan(8)
  expect(entry.cost_nano).toBeGreaterThan(0n)
  expect(await money.usageRow(requestId)).toMatchObject({ ...row, cost_nano: entry.cost_nano })
}

describe('a stream that breaks after content', () => {
  const endings: { name: string; after: string; end: 'clean' | 'cut' }[] = [
    { name: 'the connection is cut', after: '', end: 'cut' },
    { name: 'the stream ends', after: '', end: 'clean' },
    { name: 'the stream ends inside an event', after: 'data: {"choi', end: 'clean' },
  ]
  for (const { name, after, end } of endings) {
    test.each(allProtocols)(`$name: ${name}`, (from) =>
      overEach(from, async (pair) => {
        const { requestId, text } = await breakAfter(pair, [after], end)
        expectBroken(pair, text, 'upstream_error')
        await expectDelivered(requestId, { status: 502, reason: 'upstream_error' })
      }),
    )
  }

  const errors = [
    { status: 500, reason: 'upstream_error', row: 502 },
    { status: 529, reason: 'upstream_error', row: 503 },
    { status: 429, reason: 'upstream_rejected', row: 502 },
    { status: 400, reason: 'upstream_rejected', row: 502 },
  ]
  for (const { status, reason, row } of errors) {
    test.each(allProtocols)(`$name: an error like ${status} arrives`, async (from) => {
      const { two, money } = gateway()
      const before = await money.counts()
      await overEach(from, async (pair) => {
        const fault = pair.to.upstream.faultEvent(status, quoting)
        const { requestId, text } = await breakAfter(pair, [fault, ...split(pair).tail], 'clean')
        expectBroken(pair, text, reason)
        expect(text).toContain('overloaded; key [credential]')
        await expectDelivered(requestId, { status: row, reason })
      })
      expect(two.requests).toHaveLength(0)
      // Each request was settled once.
      expect(await money.counts()).toEqual({ entries: before.entries + 4, rows: before.rows + 4 })
    })
  }

  test.each(allProtocols)('$name: the upstream becomes silent', async (from) => {
    const { one, clock } = gateway()
    const streams = new Map<Pair, StreamReader>()
    await overEach(from, async (pair) => {
      const stream = await openStream(pair, { events: split(pair).told, end: 'stall' })
      await stream.readUntil('there')
      streams.set(pair, stream)
    })
    clock.passTime(121_000)
    await overEach(from, async (pair) => {
      const stream = streams.get(pair)
      expectBroken(pair, (await stream?.readAll()) ?? '', 'upstream_timeout')
      await expectDelivered(stream?.requestId ?? '', { status: 504, reason: 'upstream_timeout' })
    })
    await Promise.all(one.requests.map((request) => request.whenAborted))
  })

  test.each(allProtocols)('$name: the client disconnects', async (from) => {
    const { one } = gateway()
    const ids: string[] = []
    await overEach(from, async (pair) => {
      const leaving = new AbortController()
      const behaviour = { events: split(pair).told, end: 'stall' } as const
      const stream = await openStream(pair, behaviour, leaving.signal)
      await stream.readUntil('there')
      leaving.abort()
      ids.push(stream.requestId)
    })
    await waitOut(gateway())
    for (const id of ids) await expectDelivered(id, { status: 499, reason: 'client_gone' })
    expect(one.requests).toHaveLength(4)
    await Promise.all(one.requests.map((request) => request.whenAborted))
  })
})

describe('silence', () => {
  const signs: Record<string, string> = {
    'chat-completions': ': keep-alive\n\n',
    responses: ': keep-alive\n\n',
    messages: 'event: ping\ndata: {"type": "ping"}\n\n',
    'generate-content': '\n\n',
  }
  test.each(allProtocols)('$name: is bridged in the way of the client’s protocol', async (from) => {
    const { clock } = gateway()
    const gate = Promise.withResolvers<void>()
    const streams = new Map<Pair, StreamReader>()
    await overEach(from, async (pair) => {
      const { told, tail } = split(pair)
      const gates = [...told.map(() => undefined), gate.promise]
      const stream = await openStream(pair, { events: [...told, ...tail], end: 'clean', gates })
      await stream.readUntil('there')
      streams.set(pair, stream)
    })
    clock.passTime(16_000)
    const sign = signs[from.name] ?? 'never'
    await overEach(from, async (pair) => void (await streams.get(pair)?.readUntil(sign)))
    gate.resolve()
    await overEach(from, async (pair) => {
      const events = readEvents((await streams.get(pair)?.readAll()) ?? '')
      expect(from.client.streamedText(events)).toBe('Hello there')
      expect(from.client.countEnds(events)).toBe(1)
      expect(from.client.streamedFault(events)).toBeUndefined()
    })
  })
})
