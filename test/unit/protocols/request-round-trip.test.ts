import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ModelRequest, Part, Turn } from '../../../src/core/neutral/model-request.ts'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { nameResults } from '../../../src/protocols/fit/name-results.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { scanJson } from '../../../src/wire/scan-json.ts'
import { repeats } from '../../support/repeats.ts'

/** Text that every protocol accepts: none of them accepts an empty one. */
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => text.trim() !== '')
const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/)
const argumentsTexts = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(words, fc.integer(), fc.boolean()), {
    maxKeys: 3,
  })
  .map((value) => JSON.stringify(value))

/** A prompt, calls with their results, and an answer: complete rounds of a conversation. */
const rounds = fc.array(
  fc.record({
    ask: words,
    calls: fc.array(fc.record({ name: names, argumentsText: argumentsTexts, result: words }), {
      maxLength: 3,
    }),
    answer: words,
  }),
  { minLength: 1, maxLength: 4 },
)

type Round = (typeof rounds extends fc.Arbitrary<infer T> ? T : never)[number]

function turnsOf(all: readonly Round[]): Turn[] {
  return all.flatMap(({ ask, calls, answer }, round): Turn[] => {
    const idOf = (place: number) => `call_${round}_${place}`
    const called: Part[] = calls.map(({ name, argumentsText }, place) => ({
      type: 'tool-call',
      id: idOf(place),
      name,
      form: 'function',
      argumentsText,
    }))
    const results: Part[] = calls.map(({ name, result }, place) => ({
      type: 'tool-result',
      callId: idOf(place),
      name,
      form: 'function',
      parts: [{ type: 'text', text: result }],
      isError: false,
    }))
    const asked: Turn = { role: 'user', parts: [{ type: 'text', text: ask }] }
    const answered: Turn = { role: 'assistant', parts: [{ type: 'text', text: answer }] }
    if (calls.length === 0) return [asked, answered]
    return [asked, { role: 'assistant', parts: called }, { role: 'user', parts: results }, answered]
  })
}

const requests = fc
  .record({
    rounds,
    last: words,
    system: fc.array(words, { maxLength: 1 }),
    limit: fc.integer({ min: 16, max: 4_000 }),
    temperature: fc.constantFrom(0, 0.5, 1),
  })
  .map(
    ({ rounds: all, last, system, limit, temperature }): ModelRequest => ({
      model: 'm',
      isStream: false,
      system: system.map((text) => ({ type: 'text', text })),
      turns: [...turnsOf(all), { role: 'user', parts: [{ type: 'text', text: last }] }],
      tools: [...new Set(all.flatMap(({ calls }) => calls.map(({ name }) => name)))].map(
        (name) => ({
          type: 'function',
          name,
          description: 'A tool.',
          schema: '{"type":"object","properties":{}}',
          isStrict: undefined,
        }),
      ),
      toolChoice: undefined,
      parallelCalls: undefined,
      outputTokensMax: limit,
      sampling: { temperature },
      answers: 1,
      format: undefined,
      reasoning: undefined,
      logprobs: undefined,
      verbosity: undefined,
      endUser: undefined,
      cacheKey: undefined,
      serviceTier: undefined,
      metadata: undefined,
      cacheMark: undefined,
      extras: {},
    }),
  )

/** The meaning of a request, without ids and the division into turns, which protocols may choose. */
function meaningOf(request: ModelRequest) {
  const order = new Map<string, number>()
  const placeOf = (id: string): number => {
    const known = order.get(id) ?? order.size
    order.set(id, known)
    return known
  }
  const said = request.turns.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === 'text') return [role, part.text]
      if (part.type === 'tool-call')
        return ['call', placeOf(part.id), part.name, parseJson(part.argumentsText)]
      if (part.type !== 'tool-result') return [part.type]
      const texts = part.parts.map((each) => (each.type === 'text' ? each.text : each.type))
      return ['result', placeOf(part.callId), texts.join('')]
    }),
  )
  return {
    system: request.system.map(({ text }) => text).join('\n\n'),
    said,
    tools: request.tools.map((tool) => tool.type === 'function' && [tool.name, tool.description]),
    limit: request.outputTokensMax,
    temperature: request.sampling.temperature,
  }
}

test.each(protocolNames)(
  '%s: a request means the same when it is written and read again',
  (name) => {
    const { translation, passThrough } = protocols[name]
    fc.assert(
      fc.property(requests, (request) => {
        const notes = new Notes(translation.fieldNames, false)
        const target = { model: 'm', issuer: 'x/m', traits: {}, outputTokensMax: 8_000 }
        const text = writeJson(translation.encodeRequest(nameResults(request), target, notes))
        const value = parseJson(text)
        const scan = scanJson(text, 128)
        if (!isObject(value) || !scan.ok) throw new Error(`not a request: ${text}`)
        const body = { text, value, members: scan.members }
        const path = { model: 'm', isStream: false, framing: 'sse' } as const
        const again = translation.decodeRequest(body, passThrough.decodeFacts(body, path))
        expect(meaningOf(again)).toEqual(meaningOf(request))
      }),
      { numRuns: repeats(120) },
    )
  },
)
