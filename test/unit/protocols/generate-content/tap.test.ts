import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { passThrough } from '../../../../src/protocols/generate-content/pass-through/pass-through.ts'
import type { FrameVerdict } from '../../../../src/protocols/protocol.ts'
import type { StreamFraming } from '../../../../src/protocols/request-facts.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import { SseFramer } from '../../../../src/wire/sse-framer.ts'
import { facts, sse } from './build.ts'

function tap(text: string, framing: StreamFraming = 'sse') {
  const framer = new SseFramer(1_000_000)
  const tapped = passThrough.openTap({ ...facts, framing }, {})
  const bytes = new TextEncoder().encode(text)
  const frames = [...framer.push(bytes)]
  if (framer.unfinishedBytes > 0) frames.push(...framer.push(new TextEncoder().encode('\n\n')))
  const verdicts: FrameVerdict[] = frames.map((frame) => tapped.read(frame))
  const last = tapped.end()
  const passed = verdicts.map((each) => new TextDecoder().decode(each.bytes)).join('')
  const ending = last ? new TextDecoder().decode(last.bytes) : undefined
  return { tapped, verdicts, passed, ending, last, reading: tapped.reading() }
}

const text = (words: string, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: words }] }, index: 0, ...more }],
})
const usage = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 }
const finish = { finishReason: 'STOP' }

describe('a passed-through stream', () => {
  test('the last event is sent only when the upstream has closed, byte for byte', () => {
    const [first, second] = [sse(text('a')), sse({ ...text('b', finish), usageMetadata: usage })]
    const { passed, ending, last, reading, verdicts } = tap(first + second)
    expect(passed).toBe(first)
    expect(ending).toBe(second)
    expect(last?.isTerminator).toBe(true)
    expect(verdicts.map((each) => each.isContent)).toEqual([true, true])
    expect(verdicts.some((each) => each.isTerminator)).toBe(false)
    expect(reading.usage).toMatchObject({ input: 10, output: 2 })
  })

  const endings: [what: string, chunks: unknown[], isComplete: boolean][] = [
    ['an empty stream', [], false],
    ['no finish reason', [text('a')], false],
    ['a finish reason', [text('a', finish)], true],
    ['a finish reason without content', [{ candidates: [{ finishReason: 'MAX_TOKENS' }] }], true],
    ['an unknown finish reason', [text('a', { finishReason: 'NEW' })], true],
    ['a finish reason in every chunk', [text('a', finish), text('b', finish)], true],
    ['more content after a finish reason', [text('a', finish), text('b')], false],
    ['usage after the finish reason', [text('a', finish), { usageMetadata: usage }], true],
    ['an empty text after the finish reason', [text('a', finish), text('')], true],
    ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }], true],
    ['harmless feedback', [{ promptFeedback: { safetyRatings: [] } }], false],
    ['one of two candidates', [text('a', finish), text('b', { index: 1 })], false],
    ['both candidates', [text('a', finish), text('b', { index: 1, ...finish })], true],
  ]

  test.each(endings)('%s', (_, chunks, isComplete) => {
    const stream = sse(...chunks)
    const { passed, ending } = tap(stream)
    expect(ending !== undefined).toBe(isComplete)
    if (isComplete) expect(passed + ending).toBe(stream)
  })

  test('comments and LF framing pass unchanged', () => {
    const stream = `: hello\n\ndata: ${JSON.stringify(text('a'))}\n\ndata:${JSON.stringify(text('', finish))}\n\n`
    const { passed, ending } = tap(stream)
    expect(passed + ending).toBe(stream)
  })

  test('the last usage report counts, and objects without counts are ignored', () => {
    const later = { ...usage, candidatesTokenCount: 5, thoughtsTokenCount: 3 }
    const { reading } = tap(
      sse(
        { ...text('a'), usageMetadata: usage },
        { ...text('b'), usageMetadata: later },
        { ...text('', finish), usageMetadata: { trafficType: 'ON_DEMAND' } },
      ),
    )
    expect(reading.usage).toMatchObject({ input: 10, output: 8, reasoning: 3 })
  })

  test('without any report the delivered text is estimated, calls included', () => {
    const call = { functionCall: { name: 'weather', args: { city: 'San Francisco' } } }
    const { reading } = tap(sse({ candidates: [{ content: { parts: [call] }, ...finish }] }))
    expect(reading.usage).toBeUndefined()
    expect(reading.deliveredTokens()).toBeGreaterThan(3)
  })

  const failures: [what: string, failing: string, status: number][] = [
    ['as an event', sse({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }), 503],
    [
      'as plain JSON, over several lines',
      '{\n  "error": {\n    "code": 429,\n "message": "busy", "status": "RESOURCE_EXHAUSTED"\n}}\n\n',
      429,
    ],
    ['as plain JSON, without an event end', '{"error":{"code":400,"message":"busy"}}', 400],
    [
      'with a status that has no equivalent',
      sse({ error: { code: 499, message: 'busy', status: 'CANCELLED' } }),
      502,
    ],
  ]

  test.each(failures)(
    'a failure %s is a fault, and the last event before it is not sent',
    (_, failing, status) => {
      const { verdicts, passed, tapped } = tap(sse(text('a'), text('b', finish)) + failing)
      const fault = verdicts.at(-1)?.fault
      expect(fault).toMatchObject({ message: 'busy', status })
      expect(passed).not.toContain('finishReason')
      expect(tapped.faultText?.(new Fault('upstream_error', 'm'), 'r')).toStartWith(
        'data: {"error"',
      )
    },
  )
})

describe('a stream as one JSON list', () => {
  test('the same chunks, comments left out', () => {
    const chunks = [text('a'), text('b'), text('', finish)]
    const { passed, ending } = tap(`: hello\n\n${sse(...chunks)}`, 'json-list')
    expect(parseJson(passed + ending)).toEqual(chunks)
    expect(passed).toStartWith('[')
    expect(passed).not.toContain(']\n')
  })

  test('one chunk', () => {
    const { passed, ending } = tap(sse(text('a', finish)), 'json-list')
    expect(passed).toBe('')
    expect(parseJson(ending ?? '')).toEqual([text('a', finish)])
  })

  test.each([
    ['first', []],
    ['after content', [text('a')]],
    ['after an event that was held back', [text('a', finish)]],
  ])('a failure %s leaves a list that can be read', (_, chunks) => {
    const { passed, tapped } = tap(sse(...chunks), 'json-list')
    const failed = passed + tapped.faultText?.(new Fault('upstream_error', 'm'), 'r')
    const list = parseJson(failed)
    expect(list).toBeArray()
    expect(Array.isArray(list) && list.at(-1)).toMatchObject({ error: { message: 'm', code: 502 } })
  })
})
