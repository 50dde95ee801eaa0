import { describe, expect, test } from 'bun:test'
import { decodeUsage } from '../../../src/protocols/chat-completions/values/usage.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { readRecordedExchangesOf } from '../../support/exchanges/read-recorded-exchanges.ts'
import { repliesAt } from '../../support/exchanges/recorded-replies.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { tapStream } from './tap-stream.ts'

const cutsPerStream = 4
/** The terminator with its blank line; one recording stops before that. */
const endedEvent = /\[DONE\](?:\r\n|\n|\r){2}/

/** The chunks of a recording, found without our own framer. */
function chunksOf(sse: string) {
  return sse
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parseJson(line.slice('data:'.length)))
    .filter(isObject)
}

/** As the tap of an unknown server reads them. */
function lastUsage(sse: string) {
  const traits = repliesAt('https://nobody-knows.test').usage
  return chunksOf(sse)
    .map((chunk) => {
      const groq = chunk['x_groq']
      const [own, nested] = [chunk['usage'], isObject(groq) ? groq['usage'] : undefined]
      return decodeUsage(own, traits) ?? decodeUsage(nested, traits)
    })
    .findLast((usage) => usage !== undefined)
}

function contentOf(sse: string): string {
  return chunksOf(sse)
    .map((chunk) => JSON.stringify(chunk['choices']))
    .filter((choices) => choices !== undefined && choices !== '[]')
    .join('\n')
}

function randomCuts(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: 50 }, () => 1 + Math.floor(random() ** 3 * 200))
}

const recordings = readRecordedExchangesOf('chat-completions').flatMap(({ name, sse }) =>
  sse === undefined ? [] : [{ name, sse }],
)

describe('recorded chat-completions streams', () => {
  test('there are many, and most of them report usage', () => {
    expect(recordings.length).toBeGreaterThan(20)
    const reporting = recordings.filter(({ sse }) => lastUsage(sse) !== undefined)
    expect(reporting.length).toBeGreaterThan(recordings.length / 2)
  })

  for (const [index, { name, sse }] of recordings.entries()) {
    test(`${name}: every byte with usage requested, no usage otherwise, the same figures for both`, () => {
      for (let round = 0; round < cutsPerStream; round += 1) {
        const cuts = randomCuts(index * cutsPerStream + round)
        const asked = tapStream(sse, true, cuts)
        const notAsked = tapStream(sse, false, cuts)
        expect(asked.text).toBe(sse)
        expect(asked.reading.usage).toEqual(lastUsage(sse))
        expect(notAsked.reading.usage).toEqual(lastUsage(sse))
        for (const chunk of chunksOf(notAsked.text)) expect(chunk).not.toHaveProperty('usage')
        expect(contentOf(notAsked.text)).toBe(contentOf(sse))
        const ends = asked.verdicts.filter((each) => each.isTerminator)
        expect(ends).toHaveLength(endedEvent.test(sse) ? 1 : 0)
        expect(notAsked.text.includes('[DONE]')).toBe(sse.includes('[DONE]'))
        expect(asked.reading.deliveredTokens()).toBe(notAsked.reading.deliveredTokens())
      }
    })
  }
})
