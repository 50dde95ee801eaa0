import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../../../src/core/fault.ts'
import { foldReply } from '../../../../src/core/fold-reply.ts'
import type { ModelRequest, Part } from '../../../../src/core/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/reply-event.ts'
import { fitTools } from '../../../../src/protocols/fit-tools.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import { passThrough } from '../../../../src/protocols/responses/pass-through.ts'
import { translation } from '../../../../src/protocols/responses/translation.ts'
import { decodeUsage } from '../../../../src/protocols/responses/usage.ts'
import { isObject, type JsonObject, objectAt, parseJson } from '../../../../src/wire/json.ts'
import { missingPart } from '../../../support/missing-part.ts'
import { seededRandom } from '../../routing/seeded-random.ts'
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
} from './stage.ts'

const folder = join(import.meta.dir, '../../../../../shared/fixtures/responses')

interface Recording {
  readonly name: string
  readonly body: JsonObject | undefined
  readonly status: number
  readonly sse: string | undefined
  readonly reply: unknown
}

function readRecordings(): Recording[] {
  if (!existsSync(folder)) {
    missingPart('recorded responses exchanges', 'the folder of recordings is not there')
    return []
  }
  return readdirSync(folder).map((name) => {
    const recording = parseJson(readFileSync(join(folder, name), 'utf8'))
    const whole = isObject(recording) ? recording : {}
    const response = objectAt(whole, 'response') ?? {}
    const { sse } = response
    return {
      name,
      body: objectAt(objectAt(whole, 'request') ?? {}, 'body'),
      status: Number(response['status']),
      sse: typeof sse === 'string' ? sse : undefined,
      reply: response['body'],
    }
  })
}

const recordings = readRecordings()
const requests = recordings.filter(({ body }) => typeof body?.['model'] === 'string')
const replies = recordings.filter(({ status }) => status === 200)
const refusals = recordings.filter(({ status }) => status >= 400)

function eventsOf({ sse, reply }: Recording, cuts?: readonly number[]): ReplyEvent[] {
  return sse === undefined ? decodeWhole(reply) : decodeStream(sse, cuts)
}

function randomCuts(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
}

/** What was said, in a form in which envelopes and the marks of images do not show. */
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
  test('the folder, where it is, has requests, replies and refusals', () => {
    if (!existsSync(folder)) return
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
    (_, { sse, reply, ...recording }) => {
      const last = sse === undefined ? reply : lastResponse(sse)
      const reported = isObject(last) ? decodeUsage(last['usage']) : undefined
      const told = eventsOf({ ...recording, sse, reply }).find(({ type }) => type === 'usage')
      expect(told).toEqual(reported && { type: 'usage', usage: reported })
    },
  )

  test.each(requests.map((each) => [each.name, each] as const))(
    '%s: the request is read, and written for its own protocol means the same',
    (_, { body = {} }) => {
      const request = decodeOrRefuse(body)
      if (!request) return
      const first = forUpstream(request)
      const second = forUpstream(decodeText(first))
      expect(parseJson(second)).toEqual(parseJson(first))
    },
  )

  test.each(refusals.map((each) => [each.name, each] as const))(
    '%s: the refusal keeps its words',
    (_, { status, reply }) => {
      const fault = passThrough.readFault(status, JSON.stringify(reply))
      expect(fault.status).toBe(status)
      expect(JSON.stringify(reply)).toContain(JSON.stringify(fault.message))
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

/** Only what the gateway cannot do for another protocol may be refused. */
function decodeOrRefuse(value: JsonObject): ModelRequest | undefined {
  const body = bodyOf(value)
  const facts = passThrough.decodeFacts(body, path)
  try {
    return translation.decodeRequest(body, facts)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect(['previous_response_id', 'prompt']).toContain(error.details.param ?? '')
    return undefined
  }
}

function forUpstream(request: ModelRequest): string {
  const notes = new Notes(translation.fieldNames, false)
  const { request: fitted } = fitTools(request, translation.toolRules, notes)
  return encode(fitted, { ...target, outputTokensMax: 1_000_000, model: request.model }).text
}
