import { describe, expect, test } from 'bun:test'
import { asFault } from '../../../../src/core/fault.ts'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { readRecordedExchangesOf } from '../../../support/exchanges/read-recorded-exchanges.ts'
import { seededRandom } from '../../../support/seeded-random.ts'
import {
  bodyOf,
  decoded,
  decodeStream,
  encodeStream,
  path,
  replyContext,
  upstreamContext,
} from './helpers.ts'

const cutsPerStream = 4
const { translation } = messages

/** Clouds that host the model have these fields in the path; here they are in the body. */
function requestText(request: JsonObject): string {
  return JSON.stringify({ model: 'm', ...request })
}

function meaningOf(events: readonly ReplyEvent[]): unknown {
  const { answers, usage, fault } = foldReply(events)
  const parts = (answers[0]?.parts ?? [])
    .map(({ part }) => part)
    .filter((part) => part.type !== 'text' || part.text !== '')
    // A signature reaches the client in an envelope, so its issuer differs when it comes back.
    .map((part) => (part.type === 'reasoning' ? { ...part, opaque: part.opaque?.kind } : part))
    .map((part) => (part.type === 'hosted' ? { ...part, json: parseJson(part.json) } : part))
    .map((part) =>
      part.type === 'tool-call' ? { ...part, argumentsText: parseJson(part.argumentsText) } : part,
    )
  return { parts, finish: answers[0]?.finish, usage, fault: fault?.message }
}

const recordings = readRecordedExchangesOf('messages')
const streams = recordings.flatMap(({ name, sse }) => (sse === undefined ? [] : [{ name, sse }]))
const wholes = recordings.flatMap(({ name, status, body }) =>
  status === 200 && isObject(body) ? [{ name, whole: JSON.stringify(body) }] : [],
)
const requests = recordings.flatMap(({ name, request, status }) =>
  request ? [{ name, request, isRefused: status >= 400 }] : [],
)

describe('recorded messages replies', () => {
  test('there are many of both kinds', () => {
    expect(streams.length).toBeGreaterThan(40)
    expect(wholes.length).toBeGreaterThan(40)
  })

  test('a stream gives the same events wherever it is cut', () => {
    for (const [index, { name, sse }] of streams.entries()) {
      const uncut = decodeStream(sse)
      expect(uncut.length, name).toBeGreaterThan(0)
      const random = seededRandom(index)
      for (let round = 0; round < cutsPerStream; round += 1) {
        const lengths = Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
        expect(decodeStream(sse, lengths), name).toEqual(uncut)
      }
    }
  })

  test('a stream that ends has one end, and one that fails or is cut has none', () => {
    for (const { name, sse } of streams) {
      const types = decodeStream(sse).map((event) => event.type)
      const ends = types.filter((type) => type === 'reply-end')
      expect(ends, name).toHaveLength(sse.includes('event: message_stop') ? 1 : 0)
      expect(types.filter((type) => type === 'reply-start').length, name).toBeLessThan(2)
    }
  })

  test('a reply means the same when it is encoded and decoded again, streamed and not streamed', () => {
    const replies = [
      ...streams.map(({ name, sse }) => ({ name, events: decodeStream(sse) })),
      ...wholes.map(({ name, whole }) => ({
        name,
        events: translation.decodeReply(whole, upstreamContext()),
      })),
    ]
    for (const { name, events } of replies) {
      // Without a usage report the client gets an estimate.
      const isTold = events.some(({ type }) => type === 'usage')
      if (events.at(-1)?.type !== 'reply-end' || !isTold) continue
      const expected = meaningOf(events)
      expect(meaningOf(decodeStream(encodeStream(events))), name).toEqual(expected)
      const whole = translation.encodeReply(events, replyContext())
      expect(meaningOf(translation.decodeReply(whole, upstreamContext())), name).toEqual(expected)
    }
  })
})

describe('recorded messages requests', () => {
  test('each is accepted, or refused with the name of a field', () => {
    for (const { name, request, isRefused } of requests) {
      try {
        messages.passThrough.decodeFacts(bodyOf(requestText(request)), path)
      } catch (error) {
        const { param } = asFault(error).details
        expect(param, name).toBe(isRefused ? (param ?? 'a field') : 'messages[0]')
      }
    }
  })

  test('each means the same when it is written for an upstream of the same protocol', () => {
    for (const { name, request } of requests) {
      const turns = request['messages']
      if (!Array.isArray(turns) || turns.length === 0 || !turns.every(isObject)) continue
      const first = decoded(requestText(request))
      const isManual = first.reasoning?.mode === 'budget'
      const traits = { thinking: isManual ? 'budget' : 'adaptive', takesSystemTurns: true } as const
      const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
      const target = {
        model: first.model,
        issuer: 'anthropic/claude',
        traits: { ...traits, efforts },
        outputTokensMax: 128_000,
      }
      const notes = new Notes(translation.fieldNames, false)
      const second = decoded(writeJson(translation.encodeRequest(first, target, notes)))
      expect(second.tools, name).toEqual(first.tools)
      expect(second.toolChoice, name).toEqual(first.toolChoice)
      expect(second.system, name).toEqual(first.system)
      expect(textsOf(second), name).toEqual(textsOf(first))
      expect(second.reasoning?.mode, name).toBe(first.reasoning?.mode)
      expect(second.format?.type, name).toBe(first.format?.type)
    }
  })
})

/** Consecutive turns of one role count as one, and empty texts do not count. */
function textsOf({ turns }: ReturnType<typeof decoded>): unknown[] {
  return turns
    .flatMap(({ role, parts }) => parts.map((part) => ({ role, part })))
    .filter(({ part }) => part.type !== 'text' || part.text.trim() !== '')
}
