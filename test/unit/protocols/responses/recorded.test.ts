import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ModelRequest, Part } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { fitTools } from '../../../../src/protocols/fit/fit-tools.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import { passThrough } from '../../../../src/protocols/responses/pass-through/pass-through.ts'
import { translation } from '../../../../src/protocols/responses/translation.ts'
import { decodeUsage } from '../../../../src/protocols/responses/values/usage.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { readRecordedExchangesOf } from '../../../support/exchanges/read-recorded-exchanges.ts'
import type { RecordedExchange } from '../../../support/exchanges/recorded-exchange.ts'
import { seededRandom } from '../../../support/seeded-random.ts'
import {
  bodyOf,
  decodeStream,
  decodeText,
  decodeWhole,
  encode,
  path,
  replyContext,
  target,
  write,
} from './helpers.ts'

const recordings = readRecordedExchangesOf('responses')
const requests = recordings.filter(({ request }) => typeof request?.['model'] === 'string')
const replies = recordings.filter(({ status }) => status === 200)
const refusals = recordings.filter(({ status }) => status >= 400)

function eventsOf({ sse, body }: RecordedExchange, cuts?: readonly number[]): ReplyEvent[] {
  return sse === undefined ? decodeWhole(body) : decodeStream(sse, cuts)
}

function randomCuts(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
}

/** The content, without envelopes and marks of images. */
function gist(events: readonly ReplyEvent[]) {
  const { answers, usage, fault } = foldReply(events)
  const parts = answers.flatMap((answer) => answer.parts.map(({ part }) => withoutSeal(part)))
  return { parts, usage, fault: fault?.message, reason: answers[0]?.finish.reason }
}

function withoutSeal(part: Part): unknown {
  if (part.type === 'media') return part.source
  if (part.type === 'hosted') return parseJson(part.json)
  if (part.type === 'text') return [part.text, part.annotations?.map(({ url }) => url)]
  return { ...part, opaque: undefined }
}

describe('recorded responses exchanges', () => {
  test('there are many requests, replies and refusals', () => {
    expect(requests.length).toBeGreaterThan(50)
    expect(replies.length).toBeGreaterThan(80)
    expect(refusals.length).toBeGreaterThan(4)
  })

  test.each(replies.map((each, index) => [each.name, each, index] as const))(
    '%s: the reply is read, the same at any cut, and written and read again means the same',
    (_, recording, index) => {
      const events = eventsOf(recording)
      for (let round = 0; round < 3; round += 1) {
        expect(gist(eventsOf(recording, randomCuts(index * 3 + round)))).toEqual(gist(events))
      }
      const isCut = !events.some(({ type }) => type === 'reply-end' || type === 'fault')
      if (isCut) return
      const { text } = write(events, replyContext())
      const again = decodeStream(text)
      expect(gist(again)).toEqual(gist(events))
    },
  )

  test.each(replies.map((each) => [each.name, each] as const))(
    '%s: the usage is the one that was reported',
    (_, recording) => {
      const { sse, body } = recording
      const last = sse === undefined ? body : lastResponse(sse)
      const reported = isObject(last) ? decodeUsage(last['usage']) : undefined
      const told = eventsOf(recording).find(({ type }) => type === 'usage')
      expect(told).toEqual(reported && { type: 'usage', usage: reported })
    },
  )

  test.each(requests.map((each) => [each.name, each] as const))(
    '%s: the request is read, and written for its own protocol means the same',
    (_, { request = {}, status }) => {
      const decoded = decodeOrRefuse(request, status >= 400)
      if (!decoded) return
      const first = forUpstream(decoded)
      const second = forUpstream(decodeText(first))
      expect(parseJson(second)).toEqual(parseJson(first))
    },
  )

  test.each(refusals.map((each) => [each.name, each] as const))(
    '%s: the refusal keeps its words',
    (_, { status, body }) => {
      const fault = passThrough.readFault(status, JSON.stringify(body))
      expect(fault.status).toBe(status)
      expect(JSON.stringify(body)).toContain(JSON.stringify(fault.message))
    },
  )
})

/** The last response object of a stream, found without our own framer. */
function lastResponse(sse: string): unknown {
  const last = sse
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parseJson(line.slice('data:'.length)))
    .findLast(
      (event) =>
        isObject(event) &&
        /\.(completed|incomplete|failed)$/.test(String(event['type'])) &&
        isObject(event['response']),
    )
  return isObject(last) ? last['response'] : undefined
}

/** Only requests that the gateway cannot translate, and those that the upstream refused as well, may be refused. */
function decodeOrRefuse(value: JsonObject, isRefused: boolean): ModelRequest | undefined {
  const body = bodyOf(value)
  try {
    const facts = passThrough.decodeFacts(body, path)
    return translation.decodeRequest(body, facts)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const expected = ['previous_response_id', 'prompt', ...(isRefused ? ['input'] : [])]
    expect(expected).toContain(error.details.param ?? '')
    return undefined
  }
}

function forUpstream(request: ModelRequest): string {
  const notes = new Notes(translation.fieldNames, false)
  const { request: fitted } = fitTools(request, translation.toolRules, notes)
  return encode(fitted, { ...target, outputTokensMax: 1_000_000, model: request.model }).text
}
