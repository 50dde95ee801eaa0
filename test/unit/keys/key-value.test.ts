import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemRandom } from '../../../src/core/id.ts'
import { keyHint } from '../../../src/core/text/secret-hint.ts'
import {
  isImportableKeyValue,
  isMintedKeyValue,
  mintKeyValue,
} from '../../../src/keys/key-value.ts'
import { repeats } from '../../support/repeats.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes from a list, then from the system. */
function randomFrom(bytes: readonly number[]) {
  let at = 0
  return (count: number) =>
    Uint8Array.from(systemRandom(count), (byte) => {
      at += 1
      return bytes[at - 1] ?? byte
    })
}

const minted = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 42, maxLength: 42 })
  .map((bytes) => mintKeyValue(randomFrom(bytes)))

describe('key values', () => {
  test('a generated value has the known format, and is valid', () => {
    fc.assert(
      fc.property(minted, (value) => {
        expect(value).toMatch(/^sk-[0-9A-Za-z]{48}$/)
        expect(isMintedKeyValue(value)).toBe(true)
      }),
    )
  })

  test('any one character changed makes it invalid', () => {
    fc.assert(
      fc.property(
        minted,
        fc.nat({ max: 50 }),
        fc.constantFrom(...alphabet.split(''), '-', ' ', '\u0000', 'é'),
        (value, index, character) => {
          if (value[index] === character) return
          const changed = value.slice(0, index) + character + value.slice(index + 1)
          expect(isMintedKeyValue(changed)).toBe(false)
        },
      ),
      { numRuns: repeats(1_000) },
    )
  })

  test('a truncated, extended, doubled, swapped or wrapped value is invalid', () => {
    fc.assert(
      fc.property(minted, fc.nat({ max: 49 }), (value, index) => {
        const swapped =
          value.slice(0, index) +
          (value[index + 1] ?? '') +
          (value[index] ?? '') +
          value.slice(index + 2)
        const wrong = [value.slice(0, index), value.slice(index + 1), `${value}a`, value + value]
          .concat([` ${value}`, `${value}\n`, value.toUpperCase(), value.replace('sk-', 'pk-')])
          .concat(swapped === value ? [] : [swapped])
        for (const each of wrong) expect(isMintedKeyValue(each)).toBe(false)
      }),
    )
  })

  test('every character is equally likely: bytes that would cause a bias are dropped', () => {
    const counts = new Map<string, number>()
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const draws = Array.from({ length: 62 }, (_, round) => [...bytes.slice(round), ...bytes])
    for (const draw of draws) {
      const secret = mintKeyValue(randomFrom(draw)).slice(3, 45)
      for (const character of secret) counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    for (const byte of [248, 251, 255]) {
      const value = mintKeyValue(randomFrom(Array<number>(42).fill(byte)))
      expect(isMintedKeyValue(value)).toBe(true)
      expect(value.slice(3, 45)).not.toBe((alphabet[byte % 62] ?? '').repeat(42))
    }
    expect(counts.size).toBe(62)
  })

  const importable: [string, boolean][] = [
    ['a'.repeat(20), true],
    ['a'.repeat(19), false],
    ['a'.repeat(512), true],
    ['a'.repeat(513), false],
    ['!"#$%&()*+,-./:;<=>?@[]^_`{|}~', true],
    ['with a space in the middle', false],
    ['with-a-line-end-at-the-end\n', false],
    ['mit-ümläuten-und-länge-genug', false],
    ['', false],
  ]
  test.each(importable)('a given value, %j: %p', (value, expected) => {
    expect(isImportableKeyValue(value)).toBe(expected)
  })

  test('the hint shows seven characters at most', () => {
    fc.assert(
      fc.property(minted, (value) => {
        expect(keyHint(value)).toBe(`sk-…${value.slice(-4)}`)
        expect(keyHint(value)).not.toContain(value.slice(3, 8))
      }),
    )
  })
})
