import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId, newRequestId, systemRandom } from '../../../src/core/id.ts'

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timeMax = 2 ** 48 - 1

describe('ids', () => {
  test('a request id is a UUID of version 7 that contains its time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: timeMax }), (nowMs) => {
        const id = newRequestId(nowMs)
        expect(id).toMatch(uuid7)
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs)
      }),
    )
  })

  test('request ids sort by time, whatever their random part', () => {
    const times = fc.integer({ min: 0, max: timeMax })
    fc.assert(
      fc.property(times, times, (one, other) => {
        if (one !== other) expect(newRequestId(one) < newRequestId(other)).toBe(one < other)
      }),
    )
  })

  test('many ids of one millisecond are all different', () => {
    const ids = new Set(Array.from({ length: 50_000 }, () => newRequestId(1_790_000_000_000)))
    expect(ids.size).toBe(50_000)
  })

  test('every random bit is used: other bytes give another id', () => {
    const zero = newRequestId(0, () => new Uint8Array(10))
    for (let index = 0; index < 10; index += 1) {
      const bytes = new Uint8Array(10)
      bytes[index] = 1
      expect(newRequestId(0, () => bytes)).not.toBe(zero)
    }
  })

  test('a short id has a prefix for its kind', () => {
    expect(newId('key', () => Uint8Array.from({ length: 12 }, (_, index) => index))).toBe(
      'key_000102030405060708090a0b',
    )
  })

  test('random bytes are never returned twice, and not changed afterwards', () => {
    const taken = Array.from({ length: 2_000 }, () => systemRandom(16))
    const before = taken.map((bytes) => Buffer.from(bytes).toString('hex'))
    expect(new Set(before).size).toBe(2_000)
    systemRandom(10_000)
    expect(taken.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(before)
    expect(systemRandom(10_000)).toHaveLength(10_000)
    expect(systemRandom(0)).toHaveLength(0)
  })
})
