import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeUsage } from '../../../src/protocols/chat-completions/usage.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { missingPart } from '../../support/missing-part.ts'
import { seededRandom } from '../routing/seeded-random.ts'
import { tapStream } from './tap-stream.ts'

const folder = join(import.meta.dir, '../../../../shared/fixtures/chat-completions')
const cutsPerStream = 4
/** The terminator, closed by its blank line; one recording stops before that. */
const endedEvent = /\[DONE\](?:\r\n|\n|\r){2}/

interface Recording {
  readonly name: string
  readonly sse: string
}

function readRecordings(): Recording[] {
  if (!existsSync(folder)) {
    missingPart('recorded chat-completions streams', 'the folder of recordings is not there')
    return []
  }
  return readdirSync(folder).flatMap((name) => {
    const recording = parseJson(readFileSync(join(folder, name), 'utf8'))
    const response = isObject(recording) ? recording['response'] : undefined
    const sse = isObject(response) ? response['sse'] : undefined
    return typeof sse === 'string' ? [{ name, sse }] : []
  })
}

/** The chunks of a recording, found without our own framer. */
function chunksOf(sse: string) {
  return sse
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parseJson(line.slice('data:'.length)))
    .filter(isObject)
}

function lastUsage(sse: string) {
  return chunksOf(sse)
    .map((chunk) => {
      const groq = chunk['x_groq']
      return (
        decodeUsage(chunk['usage']) ?? (isObject(groq) ? decodeUsage(groq['usage']) : undefined)
      )
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

const recordings = readRecordings()

describe('recorded chat-completions streams', () => {
  test('the folder, where it is, has streams, and most of them report usage', () => {
    if (!existsSync(folder)) return
    expect(recordings.length).toBeGreaterThan(20)
    const reporting = recordings.filter(({ sse }) => lastUsage(sse) !== undefined)
    expect(reporting.length).toBeGreaterThan(recordings.length / 2)
  })

  for (const [index, { name, sse }] of recordings.entries()) {
    test(`${name}: every byte for who asked, no usage for who did not, the same figures for both`, () => {
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
