import { describe, expect, spyOn, test } from 'bun:test'
import { turns } from '../../../src/core/runtime/turns.ts'
import { limits } from '../../../src/gateway/limits.ts'
import { TranslatingTap } from '../../../src/gateway/reply/translating-tap.ts'
import type { FrameVerdict } from '../../../src/protocols/protocol.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { allProtocols, crossPairs, testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * The end of a long answer: the responses protocol repeats the answer four times, others contain it once. The gateway
 * writes the end in portions, as fast as the client reads, after it has settled the request once.
 */
const gateway = withGateway()
const usage = { usage_source: 'upstream', cost_nano: 4_000_000n }

const word = 'Łódź 文字 🌍 " \\ \n'
const manyPieces = Array.from({ length: 1_000 }, () => word.repeat(60))
const text = manyPieces.join('')

async function openStream(from: (typeof allProtocols)[number], to: (typeof allProtocols)[number]) {
  const { open, one, keys } = gateway()
  const events = to.upstream.events({ pieces: manyPieces })
  one.script('next', { kind: 'events', events, end: 'clean' })
  const model = viaModel(to.name)
  const leaving = new AbortController()
  const response = await open({
    path: from.client.path(model, true),
    headers: from.client.keyHeaders(keys.any),
    body: from.client.body(model, true),
    signal: leaving.signal,
  })
  return { stream: readStream(response), leaving }
}

describe('a long answer in very many pieces', () => {
  test.each(crossPairs)('$pair: all of it arrives once, and is charged once', async (pair) => {
    const { from, to } = pair
    const { money } = gateway()
    const before = await money.counts()
    // The output of the translation itself, without the texts that were set aside.
    const spy = spyOn(TranslatingTap.prototype, 'read')
    const { stream } = await openStream(from, to)
    const told = readEvents(await stream.readAll())
    const verdicts = spy.mock.results.map(({ value }) => value as FrameVerdict)
    const written = verdicts.map(({ bytes }) => bytes?.length ?? 0)
    spy.mockRestore()
    expect(Math.max(...written)).toBeLessThan(limits.encodedBytesATurn)
    expect(from.client.streamedText(told) === text).toBe(true)
    expect(from.client.streamedFault(told)).toBeUndefined()
    expect(from.client.countEnds(told)).toBe(1)
    expect(await money.entry(stream.requestId)).toMatchObject(usage)
    expect(await money.counts()).toEqual({ entries: before.entries + 1, rows: before.rows + 1 })
  })
})

describe('a client of the responses protocol', () => {
  const from = testProtocols.responses
  const others = allProtocols.filter(({ name }) => name !== 'responses')

  test.each(others)('$name: finds the whole text in each event of the end', async (to) => {
    const spy = spyOn(turns, 'next')
    const { stream } = await openStream(from, to)
    const told = readEvents(await stream.readAll())
    // The end alone has more than four megabytes.
    expect(spy.mock.calls.length).toBeGreaterThan(4)
    spy.mockRestore()
    const textIn = (type: string) => {
      const found = told.find(({ data }) => isObject(data) && data['type'] === type)
      return JSON.stringify(found?.data ?? {}).includes(JSON.stringify(text).slice(1, -1))
    }
    for (const type of ['output_text.done', 'content_part.done', 'output_item.done', 'completed'])
      expect([type, textIn(`response.${type}`)]).toEqual([type, true])
  })

  test('reads the stored response again, as it was sent', async () => {
    const { ask, keys } = gateway()
    const { stream } = await openStream(from, testProtocols.messages)
    const told = readEvents(await stream.readAll())
    const last = told.find(({ data }) => isObject(data) && data['type'] === 'response.completed')
    const response = isObject(last?.data) ? last.data['response'] : undefined
    const id = isObject(response) ? String(response['id']) : ''
    const found = await ask({
      method: 'GET',
      path: `/v1/responses/${id}`,
      headers: from.client.keyHeaders(keys.any),
    })
    expect(found.status).toBe(200)
    expect(Bun.deepEquals(parseJson(found.text), response)).toBe(true)
  })

  test('that disconnects in the middle of the end is charged and logged once', async () => {
    const { money, node } = gateway()
    const before = await money.counts()
    const { stream, leaving } = await openStream(from, testProtocols['chat-completions'])
    await stream.readUntil('response.output_item.done')
    leaving.abort()
    await eventually('it is settled', () => node.ledger.openHolds === 0)
    expect(await money.entry(stream.requestId)).toMatchObject(usage)
    expect(await money.counts()).toEqual({ entries: before.entries + 1, rows: before.rows + 1 })
  })
})
