import { describe, expect, test } from 'bun:test'
import { ownedLimits } from '../../../src/core/limits/rate-limit.ts'
import { Counters } from '../../../src/limits/counters.ts'

const nowMs = 5_000

/** The limits of a key and of its member, as the record of the key has them. */
function limitsOf(keyId: string, memberRequests: number) {
  const values = { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: null }
  const member = { ...values, requestsPerMinute: memberRequests }
  return [ownedLimits('key', keyId, values), ownedLimits('member', 'acme:u_1', member)].filter(
    (each) => each !== undefined,
  )
}

describe('counters', () => {
  test('keys of one member share a counter, and requests with one do not make the other look it up again', () => {
    const counters = new Counters(undefined)
    const [one, other] = [limitsOf('k1', 10), limitsOf('k2', 10)]
    counters.of(one, nowMs)
    counters.of(other, nowMs)
    const known = counters.of(one, nowMs)
    const others = counters.of(other, nowMs)
    expect(known.counters[1]).toBe(others.counters[1])
    expect(counters.of(one, nowMs)).toBe(known)
    expect(counters.of(other, nowMs)).toBe(others)
  })

  test('a changed limit of the member applies to all keys of the member', () => {
    const counters = new Counters(undefined)
    const other = limitsOf('k2', 10)
    counters.of(other, nowMs)
    expect(counters.of(limitsOf('k1', 5), nowMs).counters[1]?.requestsPart).toBe(5)
    expect(counters.of(limitsOf('k2', 5), nowMs).counters[1]?.requestsPart).toBe(5)
  })
})
