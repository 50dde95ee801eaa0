import { describe, expect, test } from 'bun:test'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { readWaitInDetails, readWaitInText } from '../../../src/protocols/reported-wait.ts'

const words: [message: string, seconds: number | undefined][] = [
  ['Please try again in 644ms. Visit https://a.example', 1],
  ['Please try again in 1.2s. Visit', 2],
  ['try again in 20.5s', 21],
  ['Please try again in 6m0s.', 360],
  ['Please try again in 7m12.345s', 433],
  ['Please try again in 1h2m3s', 3_723],
  ['Please try again in 1h', 3_600],
  ['Please try again in 1d5h', 104_400],
  ['Please try again in 1h 2m 3s.', 3_723],
  ['Please try again in 2 minutes 5 seconds.', 125],
  ['Please retry after 20 seconds. To increase', 20],
  ['Please retry in 34.074824224s.', 35],
  ['TRY AGAIN IN 5 SECONDS', 5],
  ['Try again in 0s', 1],
  ['Try again in 99999999999999999999h', 999_999],
  [`Try again in ${'9'.repeat(400)}s`, 999_999],
  ['Please try again later', undefined],
  ['Try again in a few seconds', undefined],
  ['Try again in 5 messages', undefined],
  ['Try again in 5', undefined],
  ['retry 5s', undefined],
  ['', undefined],
]

describe('the wait that a rate-limited upstream reports', () => {
  test.each(words)('in words: %s', (message, seconds) => {
    for (const status of [429, 503, 529]) expect(readWaitInText(status, message)).toBe(seconds)
    for (const status of [400, 401, 404, 500, 502])
      expect(readWaitInText(status, message)).toBeUndefined()
  })

  const durations: [duration: unknown, seconds: number | undefined][] = [
    ['34s', 34],
    ['34.4s', 35],
    ['0.5s', 1],
    ['0s', 1],
    ['1m30s', 90],
    [`${'9'.repeat(400)}s`, 999_999],
    ['-5s', undefined],
    ['soon', undefined],
    ['in 5s', undefined],
    ['', undefined],
    [34, undefined],
    [undefined, undefined],
  ]
  test.each(durations)('as a duration: %p', (duration, seconds) => {
    expect(readWaitInDetails([{ '@type': 'x' }, { retryDelay: duration }])).toBe(seconds)
  })

  test.each(protocolNames)('%s reads both from an error, and never from a bad request', (name) => {
    const read = (status: number, error: unknown) =>
      protocols[name].passThrough.readFault(status, JSON.stringify({ error })).details
        .retryAfterSeconds
    const message = 'Rate limit reached. Please try again in 6m0s.'
    expect(read(429, { message })).toBe(360)
    expect(read(503, { message })).toBe(360)
    expect(read(400, { message })).toBeUndefined()
    const details = [{ '@type': 'x' }, { retryDelay: '34.4s' }]
    expect(read(429, { message: 'Slow down.', details })).toBe(35)
    expect(read(429, { message: 'Slow down.', details: [{ retryDelay: 'soon' }] })).toBeUndefined()
    expect(read(429, { message: 'Slow down.' })).toBeUndefined()
  })
})
