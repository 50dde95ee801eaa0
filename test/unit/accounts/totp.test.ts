import { describe, expect, test } from 'bun:test'
import { base32, matchingStep, totpCode } from '../../../src/accounts/totp.ts'

const secret = new TextEncoder().encode('12345678901234567890')

/** The last six digits of the codes in appendix B of RFC 6238. */
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

describe('a code of an authenticator app', () => {
  for (const [seconds, code] of vectors) {
    test(`at ${seconds} s is ${code}`, () => {
      expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code)
    })
  }

  test('is accepted one step early or late, no further, and once', () => {
    const nowMs = 1_111_111_109_000
    const now = Math.floor(nowMs / 30_000)
    const stepOf = (step: number, afterStep = 0) =>
      matchingStep(secret, totpCode(secret, step), { nowMs, afterStep })
    expect([-2, -1, 0, 1, 2].map((apart) => stepOf(now + apart))).toEqual([
      undefined,
      now - 1,
      now,
      now + 1,
      undefined,
    ])
    expect(stepOf(now, now)).toBeUndefined()
  })

  test('has a secret that can be typed', () => {
    expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(base32(new Uint8Array([255]))).toBe('74')
  })
})
