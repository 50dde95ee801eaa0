import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { isVisible } from '../../../src/core/text/characters.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { emailKind, nameKind } from '../../../src/fields/kinds.ts'

const highest = 0x10ffff
const hidden = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u
const seen = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Every code point that matches. */
function charactersOf(pattern: RegExp): string[] {
  const found: string[] = []
  for (let code = 0; code <= highest; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (pattern.test(character)) found.push(character)
  }
  return found
}

const nameProblem = (text: string) => findProblem(nameKind.wire, text)

describe('a name that a reader cannot see as it is', () => {
  test('every invisible character of Unicode is refused in Latin, Cyrillic, Greek and Han names', () => {
    const characters = charactersOf(hidden)
    expect(characters.length).toBeGreaterThan(4_000)
    for (const before of ['prod', 'пример', 'λόγος', '生产', 'é'])
      for (const each of characters)
        expect([each.codePointAt(0), isVisible(`${before}${each}${before}`)]).toEqual([
          each.codePointAt(0),
          false,
        ])
  }, 60_000)

  test('the description refuses a hidden character, or the problem is marked as not described', () => {
    for (const [kind, around] of [
      [nameKind, (text: string) => `ad${text}min`],
      [emailKind, (text: string) => `ad${text}min@example.com`],
    ] as const) {
      const { pattern = '' } = z.toJSONSchema(kind.wire, { io: 'input' })
      // Some readers of the description do not know the flag u.
      const described = [new RegExp(pattern), new RegExp(pattern, 'u')]
      const wrong = charactersOf(hidden).filter((each) => {
        const [issue] = kind.wire.safeParse(around(each)).error?.issues ?? []
        const isMarked = issue?.code === 'custom' && issue.params?.['isOutsideSchema'] === true
        return described.some((reader) => reader.test(around(each)) !== isMarked)
      })
      expect(wrong.map((each) => each.codePointAt(0)?.toString(16))).toEqual([])
    }
  })

  test('every letter, digit, mark of punctuation and symbol is accepted', () => {
    const refused = charactersOf(seen).filter((each) => !hidden.test(each) && !isVisible(each))
    expect(refused).toEqual([])
  })

  test.each([
    ['ZWNJ in Persian', 'می\u200cخواهم'],
    ['ZWJ in Sinhala', 'ශ්\u200dරී'],
    ['a family', '👨\u200d👩\u200d👧'],
    ['a profession with a skin tone', '👩🏽\u200d💻 desk'],
    ['a red heart', 'prod ❤\ufe0f'],
    ['a rainbow flag', '🏳\ufe0f\u200d🌈'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['Arabic', 'مفتاح الإنتاج'],
    ['Hebrew', 'מפתח'],
  ])('%s is a name', (_, name) => {
    expect(nameKind.wire.parse(name)).toBe(name)
  })

  test.each([
    ['a direction override', 'admin\u202egnp.exe'],
    ['a direction isolate', '\u2066admin\u2069'],
    ['a direction mark', 'ad\u200fmin'],
    ['an Arabic letter mark', 'ad\u061cmin'],
    ['a zero-width space', 'ad\u200bmin'],
    ['a joiner in Latin', 'ad\u200dmin'],
    ['two joiners in an emoji', '👩\u200d\u200d💻'],
    ['a joiner at the end', '👩\u200d'],
    ['a soft hyphen', 'ad\u00admin'],
    ['a tag character', 'admin\u{e0061}'],
    ['a filler character', '\u3164'],
    ['a line separator', 'ad\u2028min'],
    ['a byte order mark inside the name', 'ad\ufeffmin'],
  ])('%s is refused, and the message says why', (_, name) => {
    expect(nameProblem(name)?.problem).toBe('text_hidden')
    expect(findProblem(emailKind.wire, `${name}@example.com`)).toBeDefined()
  })

  test.each(['\ud800', 'a\udfffb', '\udc00\ud800'])(
    'half of a surrogate pair is refused',
    (name) => {
      expect(nameProblem(name)).toBeDefined()
    },
  )
})
