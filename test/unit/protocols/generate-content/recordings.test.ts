import { describe, expect, test } from 'bun:test'
import { type FoldedReply, foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ModelRequest, Part } from '../../../../src/core/neutral/model-request.ts'
import { openSealedBase64 } from '../../../../src/protocols/fit/seal-opaque.ts'
import { passThrough } from '../../../../src/protocols/generate-content/pass-through/pass-through.ts'
import { translation } from '../../../../src/protocols/generate-content/translation.ts'
import { schemaForGemini } from '../../../../src/protocols/schema/schema-for-gemini.ts'
import { isObject, parseJson } from '../../../../src/wire/json.ts'
import { SseFramer } from '../../../../src/wire/sse-framer.ts'
import { readRecordedExchangesOf } from '../../../support/exchanges/read-recorded-exchanges.ts'
import { seededRandom } from '../../../support/seeded-random.ts'
import { schemaWork } from '../fits/schema-work.ts'
import {
  bodyOf,
  decode,
  decodeStream,
  encode,
  encodeStream,
  facts,
  replyContext,
  streamPath,
  upstreamContext,
} from './build.ts'

const recordings = readRecordedExchangesOf('generate-content')
const good = recordings.filter(({ status, isComplete }) => status === 200 && isComplete)
const allStreams = good.flatMap(({ name, sse }) =>
  sse === undefined ? [] : [{ name, stream: sse }],
)
const isFailed = ({ stream }: { stream: string }) => /^data: \{"error":/m.test(stream)
const streams = allStreams.filter((each) => !isFailed(each))
const failures = allStreams.filter(isFailed)
const wholes = good.flatMap(({ name, body }) =>
  isObject(body) ? [{ name, body: JSON.stringify(body) }] : [],
)
const requests = recordings.flatMap(({ name, status, request }) =>
  request && status === 200 ? [{ name, request }] : [],
)
const errors = recordings.filter(({ status }) => status >= 400)

function randomCuts(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
}

/** The LF of a last CRLF that arrived in two pieces is closed as an empty event, which has no meaning. */
function withoutEmpty(text: string): string {
  return text.replace(/(?:\r\n|\n|\r){2,}/g, '\n\n').trim()
}

/** Calls and texts with their signatures without envelopes; generated ids are left out. */
function meaningOf({ answers, usage: reported, fault }: FoldedReply) {
  // Usage that is written again adds up, whatever the upstream reported.
  const { isDoubtful: _, surplus: __, ...usage } = reported
  return {
    answers: answers.map(({ parts, finish }) => ({
      parts: parts.map(({ part }) => openedPart(part)),
      reason: finish.reason,
    })),
    usage,
    fault,
  }
}

function openedPart(part: Part): object {
  const opaque = 'opaque' in part ? part.opaque : undefined
  const sealed = opaque && openSealedBase64(opaque.data)
  const data = sealed ? sealed.data : opaque?.data
  const value = 'argumentsText' in part ? parseJson(part.argumentsText) : undefined
  return { ...part, opaque: data, id: undefined, annotations: undefined, argumentsText: value }
}

/** Positional ids, and fields that this protocol leaves to the model or lacks, do not count. */
function requestMeaning(request: ModelRequest) {
  const parts = request.turns.flatMap((turn) =>
    turn.parts
      .filter((part) => part.type !== 'reasoning')
      .map((part) => ({ ...openedPart(part), callId: undefined, role: turn.role })),
  )
  const tools = request.tools.map((tool) =>
    tool.type === 'function' ? { ...tool, schema: fittedSchema(tool.schema) } : tool,
  )
  const { model, system, toolChoice, sampling, outputTokensMax, format, answers } = request
  return { model, system, parts, tools, toolChoice, sampling, outputTokensMax, format, answers }
}

function fittedSchema(schema: string | undefined): string | undefined {
  return schema && schemaForGemini(schema, 'json', schemaWork())
}

describe('recorded exchanges', () => {
  test('there are many of each kind', () => {
    expect(streams.length).toBeGreaterThan(40)
    expect(wholes.length).toBeGreaterThan(40)
    expect(requests.length).toBeGreaterThan(80)
    expect(errors.length).toBeGreaterThan(15)
  })

  for (const [index, { name, stream }] of streams.entries()) {
    test(`${name}: passes byte by byte, and ends once`, () => {
      const framer = new SseFramer(16_000_000)
      const tap = passThrough.openTap({ ...facts, isStream: true }, {})
      const pieces: Uint8Array[] = []
      const bytes = new TextEncoder().encode(stream)
      const cuts = randomCuts(index)
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = cuts[turn % cuts.length] ?? 1
        for (const frame of framer.push(bytes.slice(at, at + length))) {
          const verdict = tap.read(frame)
          expect(verdict.isTerminator).toBe(false)
          if (verdict.bytes) pieces.push(verdict.bytes)
        }
        at += length
      }
      // The gateway closes an event that the upstream has left open.
      const closing = framer.unfinishedBytes > 0 ? '\n\n' : ''
      for (const frame of framer.push(new TextEncoder().encode(closing))) {
        const { bytes: passed } = tap.read(frame)
        if (passed) pieces.push(passed)
      }
      const last = tap.end()
      expect(last?.isTerminator).toBe(true)
      if (last?.bytes) pieces.push(last.bytes)
      expect(withoutEmpty(Buffer.concat(pieces).toString())).toBe(withoutEmpty(stream))
    })

    test(`${name}: cut anywhere it means the same, also when it is written and read again`, () => {
      const events = decodeStream(stream)
      const meaning = meaningOf(foldReply(events))
      expect(events.at(-1)?.type).toBe('reply-end')
      expect(meaningOf(foldReply(decodeStream(stream, randomCuts(index))))).toEqual(meaning)
      expect(meaningOf(foldReply(decodeStream(stream, [1])))).toEqual(meaning)
      expect(meaningOf(foldReply(decodeStream(encodeStream(events))))).toEqual(meaning)
      const whole = translation.encodeReply(events, replyContext())
      const again = foldReply(translation.decodeReply(whole, upstreamContext()))
      expect(meaningOf(again)).toEqual(meaning)
    })
  }

  for (const { name, stream } of failures) {
    test(`${name}: ends with the upstream’s failure`, () => {
      const last = decodeStream(stream).at(-1)
      expect(last?.type).toBe('fault')
      expect(stream).toContain(last?.type === 'fault' ? last.fault.message : 'nothing')
    })
  }

  for (const { name, body } of wholes) {
    test(`${name}: a whole reply means the same when it is written and read again`, () => {
      const events = translation.decodeReply(body, upstreamContext())
      const meaning = meaningOf(foldReply(events))
      expect(events.at(-1)?.type).toBe('reply-end')
      const whole = translation.encodeReply(events, replyContext())
      expect(meaningOf(foldReply(translation.decodeReply(whole, upstreamContext())))).toEqual(
        meaning,
      )
      expect(meaningOf(foldReply(decodeStream(encodeStream(events))))).toEqual(meaning)
      expect(passThrough.readReply(parseJson(body), {}).deliveredTokens()).toBeGreaterThanOrEqual(0)
    })
  }

  for (const { name, request } of requests) {
    test(`${name}: the request means the same in the same protocol`, () => {
      passThrough.decodeFacts(bodyOf(request), streamPath)
      const first = decode(request)
      const again = decode(encode(first).value)
      expect(requestMeaning(again)).toEqual(requestMeaning(first))
      expect(encode(first).text).toBe(encode(first).text)
    })
  }

  for (const { name, status, body, sse } of errors) {
    test(`${name}: the error keeps its message`, () => {
      const text = sse === undefined ? JSON.stringify(body) : sse.replace(/^data: /, '')
      const fault = passThrough.readFault(status, text)
      expect(fault.message).not.toContain('answered with status')
      expect(fault.details.upstream?.type).toBeString()
    })
  }
})
