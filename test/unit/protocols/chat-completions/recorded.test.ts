import { describe, expect, test } from 'bun:test'
import { type FoldedReply, foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { isObject } from '../../../../src/wire/json.ts'
import { readRecordedExchangesOf } from '../../../support/exchanges/read-recorded-exchanges.ts'
import { seededRandom } from '../../../support/seeded-random.ts'
import {
  decodeRequest,
  decodeText,
  encodeRequest,
  encodeStream,
  replyContext,
  targetOf,
  translation,
  upstream,
} from './helpers.ts'

const cutsPerStream = 3

/** The meaning of a reply; the tokens of vendors are in envelopes by then, and links have a position. */
function meaningOf(reply: FoldedReply) {
  return reply.answers.map(({ parts, finish }) => ({
    text: joined(parts, 'text'),
    refusal: joined(parts, 'refusal'),
    reasoning: joined(parts, 'reasoning'),
    calls: parts.flatMap(({ part }) =>
      part.type === 'tool-call'
        ? [
            {
              ...part,
              opaque: undefined,
              argumentsText: part.argumentsText === '' ? '{}' : part.argumentsText,
            },
          ]
        : [],
    ),
    reason: finish.reason === 'other' ? 'stop' : finish.reason,
  }))
}

function joined(
  parts: FoldedReply['answers'][number]['parts'],
  type: 'text' | 'refusal' | 'reasoning',
) {
  return parts.map(({ part }) => (part.type === type ? part.text : '')).join('')
}

function checkAgain(events: ReplyEvent[]): void {
  const reply = foldReply(events)
  if (events.at(-1)?.type !== 'reply-end') return
  const again = foldReply(decodeText(encodeStream(events, replyContext({}, true))))
  expect(meaningOf(again)).toEqual(meaningOf(reply))
  // Usage that is written again adds up, whatever the upstream reported.
  const { isDoubtful: _, surplus: __, ...usage } = reply.usage
  expect({ ...again.usage, cacheWrite1h: 0 }).toEqual(usage)
  const whole = translation.encodeReply(events, replyContext())
  expect(meaningOf(foldReply(translation.decodeReply(whole, upstream())))).toEqual(meaningOf(reply))
}

/** The meaning of a request: labels, empty turns and names beside ids are dropped on the way, limits are lowered. */
function essenceOf(request: ModelRequest): unknown {
  const turns = request.turns
    .filter(({ parts }) => parts.length > 0)
    .map((turn) => ({ ...turn, parts: turn.parts.map((part) => ({ ...part, name: undefined })) }))
  const left = { extras: undefined, metadata: undefined, outputTokensMax: undefined }
  const names = request.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : [])),
  )
  return { ...request, ...left, turns, names, sampling: { ...request.sampling, topK: undefined } }
}

const recordings = readRecordedExchangesOf('chat-completions')

describe('recorded chat completions', () => {
  test('there are many of each kind', () => {
    expect(recordings.filter(({ sse }) => sse).length).toBeGreaterThan(40)
    expect(recordings.filter(({ body }) => body).length).toBeGreaterThan(50)
    expect(recordings.filter(({ request }) => request).length).toBeGreaterThan(90)
  })

  for (const [index, { name, sse, body }] of recordings.entries()) {
    if (sse !== undefined) {
      test(`${name}: any cut is the same events, written and read again they mean the same`, () => {
        const events = decodeText(sse)
        expect(events.at(-1)?.type).toBe(
          /\[DONE\](?:\r\n|\n|\r){2}/.test(sse) ? 'reply-end' : events.at(-1)?.type,
        )
        for (let round = 0; round < cutsPerStream; round += 1) {
          const random = seededRandom(index * cutsPerStream + round)
          const lengths = Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
          expect(decodeText(sse, lengths)).toEqual(events)
        }
        checkAgain(events)
      })
    }
    if (isObject(body)) {
      test(`${name}: a whole reply, written and read again, means the same`, () => {
        const events = translation.decodeReply(JSON.stringify(body), upstream())
        expect(events.at(-1)?.type).toBe('error' in body ? 'fault' : 'reply-end')
        checkAgain(events)
      })
    }
  }

  for (const { name, request } of recordings) {
    const messages = request?.['messages']
    if (request === undefined || !Array.isArray(messages) || messages.length === 0) continue
    test(`${name}: the request, written and read again, asks for the same`, () => {
      const decoded = decodeRequest(request)
      const target = targetOf(
        {
          takesCacheMarks: true,
          reasoningReturn: 'reasoning_details',
          efforts: ['none', 'minimal', 'low', 'medium', 'high'],
        },
        decoded.model,
      )
      const { text } = encodeRequest(decoded, target)
      expect(essenceOf(decodeRequest(text))).toEqual(essenceOf(decoded))
    })
  }
})
