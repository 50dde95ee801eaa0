import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { event, stopChunk } from '../../support/gateway/chat-events.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import type { ScriptedReply } from '../../support/protocols/test-protocol.ts'
import { allProtocols, type Pair, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const said: ScriptedReply = { pieces: ['Hello ', 'there'] }

/** All frames up to the last finish reason and the usage, without a final event. */
function finished({ to }: Pair): string[] {
  const events = to.upstream.events(said).filter((each) => !each.includes('[DONE]'))
  const cut = events.findIndex((each) => each.includes('there'))
  return [...events.slice(0, cut), events.slice(cut).join('')]
}

async function openStream({ from, to }: Pair, events: string[], end: 'clean' | 'cut' | 'stall') {
  const { one, open } = gateway()
  const model = viaModel(to.name)
  const path = to.upstream.path(model, true).replace(/\?.*/, '')
  one.script({ path }, { kind: 'events', events, end })
  const body = from.client.body(model, true)
  return readStream(await open({ key: 'any', path: from.client.path(model, true), body }))
}

const ends = [
  { name: 'closes', end: 'clean' },
  { name: 'is cut', end: 'cut' },
  { name: 'stays open and silent', end: 'stall' },
] as const

describe('a stream whose answer has finished, without a last event', () => {
  for (const to of [testProtocols['chat-completions'], testProtocols['generate-content']]) {
    for (const from of allProtocols) {
      const pair: Pair = { pair: `${from.name} over ${to.name}`, from, to }
      test.each(ends)(`${pair.pair}: it $name, and is complete`, async ({ end }) => {
        const { money, clock, one } = gateway()
        const asked = one.requests.length
        const stream = await openStream(pair, finished(pair), end)
        if (end === 'stall') {
          await stream.readUntil('there')
          // Long before the limit of a stream that may still send content.
          clock.passTime(10_500)
        }
        const text = await stream.readAll()
        const events = readEvents(text)
        expect(from.client.streamedText(events)).toBe('Hello there')
        expect(from.client.countEnds(events)).toBe(1)
        expect(from.client.streamedFault(events)).toBeUndefined()
        expect(text).not.toContain('"error":{')
        expect(one.requests.length).toBe(asked + 1)
        const entry = await money.entry(stream.requestId)
        expect(entry).toMatchObject({ usage_source: 'upstream', output_tokens: 200 })
        expect(await money.usageRow(stream.requestId)).toMatchObject({ status: 200 })
      })
    }
  }

  const lineEnds = [
    { name: 'whole', cut: 0 },
    { name: 'without its last LF', cut: 1 },
    { name: 'without its blank line', cut: 2 },
    { name: 'without any line end', cut: 4 },
  ]
  for (const { name, cut } of lineEnds) {
    test(`a last event in CRLF, ${name}, cut anywhere, is forwarded without additional blank lines`, async () => {
      const { one, open } = gateway()
      const to = testProtocols['generate-content']
      const whole = to.upstream.events(said).map((each) => each.replace(/\r?\n/g, '\r\n'))
      const last = whole.at(-1) ?? ''
      const sent = last.slice(0, last.length - cut)
      const model = viaModel(to.name)
      for (const at of [1, 2, 3, 4, 5]) {
        const pieces = [sent.slice(0, -at), sent.slice(-at)]
        const gate = Promise.withResolvers<void>()
        const events = [...whole.slice(0, -1), ...pieces]
        const gates = [...whole.map(() => undefined), gate.promise]
        one.script('next', { kind: 'events', events, end: 'clean', gates })
        const path = to.client.path(model, true)
        const body = to.client.body(model, true)
        const stream = readStream(await open({ key: 'any', path, body }))
        await stream.readUntil('there')
        gate.resolve()
        const text = await stream.readAll()
        expect(text.trimEnd()).toBe(whole.join('').trimEnd())
        expect(text.slice(text.trimEnd().length)).toMatch(/^(?:\r\n\r\n|(?:\r\n)?\n{1,2})$/)
      }
    })
  }

  test('a partial event after the last finish reason is not forwarded', async () => {
    const { one, open } = gateway()
    one.script('next', {
      kind: 'events',
      events: [choice(0, 'one'), stopChunk(), 'data: {"choi'],
      end: 'clean',
    })
    const stream = readStream(await open({ key: 'plain', body: chatBody({ stream: true }) }))
    const text = await stream.readAll()
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(text).not.toContain('data: {"choi\n')
  })
})

function choice(index: number, content: string, finish: string | null = null): string {
  return event({ id: 'c', choices: [{ index, delta: { content }, finish_reason: finish }] })
}

describe('a stream that was cut', () => {
  const rows: { name: string; events: string[] }[] = [
    {
      name: 'one of two answers has not finished',
      events: [choice(0, 'one'), choice(1, 'two'), choice(0, '', 'stop')],
    },
    {
      name: 'one of two answers has not begun',
      events: [choice(0, 'one'), choice(0, '', 'stop')],
    },
    {
      name: 'an answer continues after its finish reason',
      events: [choice(0, 'one', 'stop'), choice(1, 'two', 'stop'), choice(0, ' more')],
    },
    {
      name: 'an empty finish reason does not count',
      events: [choice(0, 'one', ''), choice(1, 'two', '')],
    },
  ]
  test.each(rows)('$name: the client gets an error', async ({ events }) => {
    const { one, open, money } = gateway()
    one.script('next', { kind: 'events', events, end: 'clean' })
    const body = chatBody({ stream: true, n: 2 })
    const stream = readStream(await open({ key: 'plain', body }))
    const text = await stream.readAll()
    expect(text).not.toContain('[DONE]')
    expect(text).toContain('data: {"error":{"message":')
    expect(await money.usageRow(stream.requestId)).toMatchObject({ status: 502 })
  })
})
