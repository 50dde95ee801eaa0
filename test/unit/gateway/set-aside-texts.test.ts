import { describe, expect, test } from 'bun:test'
import { mintId } from '../../../src/core/id.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import type {
  PartEnd,
  PartHead,
  ReplyEvent,
  TokenLogprob,
} from '../../../src/core/neutral/reply-event.ts'
import { SetAsideTexts } from '../../../src/gateway/reply/set-aside-texts.ts'
import { translation } from '../../../src/protocols/responses/translation.ts'
import { unbrokenLines } from '../../../src/wire/unbroken-lines.ts'
import { replyContext } from '../protocols/responses/helpers.ts'

/*
 * The responses protocol repeats everything at the end of a stream. The repeated text is set aside while it arrives:
 * the bytes are the same, and the end is cheap.
 */

const answer = 0
const start: ReplyEvent = { type: 'reply-start', id: 'x', model: 'm' }
const end: ReplyEvent = { type: 'reply-end', finishes: [{ reason: 'stop', raw: 'stop' }] }
const usage: ReplyEvent = { type: 'usage', usage: { ...noUsage, input: 1, output: 2 } }

function part(
  head: PartHead,
  texts: readonly string[],
  ending: Partial<PartEnd> = {},
  logprobs?: readonly TokenLogprob[],
): ReplyEvent[] {
  return [
    { type: 'part-start', answer, part: head },
    ...texts.map((text): ReplyEvent => ({ type: 'part-delta', answer, text, logprobs })),
    { type: 'part-end', answer, ...ending },
  ]
}

const pieces = (text: string, count: number) => Array.from({ length: count }, () => text)
const call: PartHead = { type: 'tool-call', id: 'call_1', name: 'f', form: 'function' }
const odd = 'Grüße 世界 🌍 \u2028\u2029\u0085 " \\ \n\t\u0001'
const token: TokenLogprob = { token: '\u2028', logprob: -0.5, bytes: undefined, top: [] }
const link = { url: 'https://a.test', title: 'a', start: 0, end: 3, citedText: undefined }
const sealing = { model: 'm', input: 'hi', include: ['reasoning.encrypted_content'] }

const rows: [string, readonly ReplyEvent[]][] = [
  ['a short text', part({ type: 'text' }, ['Hello'])],
  ['a long text', part({ type: 'text' }, pieces(odd, 20_000), { annotations: [link] })],
  ['very many pieces', part({ type: 'text' }, pieces('a ', 60_000))],
  ['one long piece', part({ type: 'text' }, ['x'.repeat(300_000)])],
  ['lone surrogates', part({ type: 'text' }, pieces('\udf0d a \ud83c', 20_000))],
  ['a lone surrogate at the very end', part({ type: 'text' }, [...pieces('ab', 20_000), '\ud83c'])],
  ['log probabilities', part({ type: 'text' }, pieces(odd, 4_000), {}, [token, token])],
  ['a refusal', part({ type: 'refusal' }, pieces(odd, 5_000))],
  ['reasoning', part({ type: 'reasoning' }, pieces(odd, 9_000))],
  ['reasoning with lone surrogates', part({ type: 'reasoning' }, pieces('\udf0d文\ud83c', 9_001))],
  ['arguments', part(call, ['{"x":"', ...pieces('many words ', 9_000), '"}'])],
  ['input of a custom tool', part({ ...call, form: 'custom' }, pieces(odd, 9_000))],
  ['many calls', pieces('y'.repeat(1_300), 300).flatMap((text) => part(call, [`{"x":"${text}"}`]))],
  [
    'an image',
    part(
      { type: 'media', mime: 'image/png', source: { type: 'base64', data: 'A'.repeat(9e4) } },
      [],
    ),
  ],
  [
    'several texts',
    [...part({ type: 'text' }, pieces(odd, 3_000)), ...part({ type: 'text' }, ['b'])],
  ],
]

function encode(events: readonly ReplyEvent[], aside: SetAsideTexts | undefined) {
  const encoder = translation.openEncoder({
    ...replyContext(sealing),
    ...(aside ? { setAside: aside.setAside } : {}),
  })
  const texts = events.map((event) => encoder.push(event))
  return { texts, final: encoder.finalResponse?.() ?? '' }
}

const written = (pieceList: readonly Uint8Array[]) => Buffer.concat(pieceList).toString()

describe('set-aside texts come back in their positions', () => {
  test.each(rows)('%s: every byte is the same', (_, parts) => {
    const events = [start, ...parts, usage, end]
    const aside = new SetAsideTexts(mintId)
    const plain = encode(events, undefined)
    const marked = encode(events, aside)
    const told = marked.texts.map((text) => written(aside.encode(text))).join('')
    expect(told === unbrokenLines(plain.texts.join(''))).toBe(true)
    expect(aside.fillText(marked.final) === unbrokenLines(plain.final)).toBe(true)
  })

  test('a failure repeats the items that were complete', () => {
    const fault = { type: 'reply-end', finishes: [{ reason: 'malformed-call', raw: '' }] } as const
    const events = [start, ...part(call, ['z'.repeat(100_000)]), ...part(call, ['{}']), fault]
    const aside = new SetAsideTexts(mintId)
    const plain = encode(events, undefined)
    const told = encode(events, aside).texts.map((text) => written(aside.encode(text)))
    expect(told.join('') === plain.texts.join('')).toBe(true)
  })
})

describe('the end of a long answer is cheap', () => {
  /** The limit of the text that an event writes at the end, however long the answer is. */
  const endCharactersMax = 128 * 1024

  /** Each is several times as long as the limit. */
  const long: [string, readonly ReplyEvent[]][] = [
    ['text', part({ type: 'text' }, pieces('many words ', 60_000))],
    ['Chinese text', part({ type: 'text' }, pieces('文字处理'.repeat(50), 3_000))],
    ['escapes', part({ type: 'text' }, pieces('\u0001'.repeat(1_000), 300))],
    ['log probabilities', part({ type: 'text' }, pieces('a', 10_000), {}, [token])],
    ['reasoning', part({ type: 'reasoning' }, pieces('many words ', 60_000))],
    ['arguments', part(call, pieces('many words ', 60_000))],
  ]
  test.each(long)('%s', (_, parts) => {
    const aside = new SetAsideTexts(mintId)
    const { texts } = encode([start, ...parts, usage, end], aside)
    const ending = texts.slice(-3)
    for (const text of ending) expect(text.length).toBeLessThan(endCharactersMax)
    const last = ending.flatMap((text) => aside.encode(text))
    const total = last.reduce((sum, { length }) => sum + length, 0)
    const buffers = new Set(last.map(({ buffer }) => buffer))
    const kept = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
    // The text is repeated at least twice, but in memory once.
    expect(kept).toBeLessThan(total / 1.9)
    expect(kept).toBeLessThan(aside.bytes + 2 * endCharactersMax)
  })
})
