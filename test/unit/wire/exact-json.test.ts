import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  jsonTextOf,
  parseExact,
  parseKeepingText,
  plainOf,
  RawJson,
  writeJson,
} from '../../../src/wire/exact-json.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { repeats } from '../../support/repeats.ts'

const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
const scalar = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '-1.50',
  '1e3',
  '1E+05',
  '1e400',
  '0.1',
  '9007199254740993',
  '12345678901234567890',
  'true',
  'false',
  'null',
)
const spelled = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041\\/\\ud83d\\ude00"', '"\\\\"', '"\\""', '"\\ud800"', '"1.0"', '"}{]["'),
)
const word = fc.constantFrom(
  '"a"',
  '"args"',
  '"b c"',
  '"\\u00e9"',
  '"__proto__"',
  '"constructor"',
  '"\\\\"',
  '""',
)
/** Names that JavaScript would put before all others. */
const index = fc.constantFrom('"1"', '"10"', '"2"', '"0"', '"4294967294"')

function textsWith(name: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      spelled,
      fc
        .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
        .map(([inside, items]) => `[${inside}${items.map((item) => item.join('')).join(',')}]`),
      fc
        .uniqueArray(fc.tuple(space, name, space, space, tie('value'), space), {
          maxLength: 4,
          selector: (member) => member[1],
        })
        .map((members) => `{${members.map(writeMember).join(',')}}`),
    ),
  })).value
}

function writeMember([before, name, after, inner, value, end]: readonly string[]): string {
  return `${before}${name}${after}:${inner}${value}${end}`
}

const plainNames = textsWith(word)
const allNames = textsWith(fc.oneof(word, index))

/** The text without whitespace and with strings in one spelling; numbers and order stay. */
function compact(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  )
}

describe('JSON that keeps its numbers', () => {
  test('is written unchanged: every number in its spelling, every name in its position', () => {
    fc.assert(
      fc.property(plainNames, (text) => {
        expect(writeJson(parseExact(text))).toBe(compact(text))
      }),
      { numRuns: repeats(800) },
    )
  })

  // JavaScript objects put such names first, so they keep their positions only where a text is kept unchanged.
  test('names that look like indexes keep their values', () => {
    fc.assert(
      fc.property(allNames, (text) => {
        const written = writeJson(parseExact(text))
        expect(JSON.parse(written)).toEqual(JSON.parse(text))
        expect(numbersIn(written)).toEqual(numbersIn(text))
      }),
      { numRuns: repeats(400) },
    )
  })
})

/** The numbers of a text in their spelling, sorted. */
function numbersIn(text: string): string[] {
  return (text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []).sort()
}

describe('JSON with some members kept as text', () => {
  test('these are written unchanged, also names that look like indexes', () => {
    fc.assert(
      fc.property(allNames, allNames, space, (kept, other, gap) => {
        const text = `{"x":${other},"deep":[{"args":${gap}${kept}${gap}}]}`
        const value = parseKeepingText(text, new Set(['args'])) as { deep: [{ args: unknown }] }
        const { args } = value.deep[0]
        if (typeof JSON.parse(kept) === 'object' && JSON.parse(kept) !== null) {
          expect(compact(jsonTextOf(args))).toBe(compact(kept))
          expect(compact(writeJson({ input: args }))).toBe(`{"input":${compact(kept)}}`)
        }
        expect(plainOf(args)).toEqual(JSON.parse(kept))
      }),
      { numRuns: repeats(800) },
    )
  })

  test('all other values have their usual meaning', () => {
    fc.assert(
      fc.property(allNames, (text) => {
        expect(parseKeepingText(text, new Set())).toEqual(JSON.parse(text))
        expect(writeJson(parseKeepingText(text, new Set()))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: repeats(400) },
    )
  })

  test('a plain value is never kept as text', () => {
    const text = '{"args":12345678901234567890,"b":{"args":"1.0"},"c":{"args":null}}'
    expect(parseKeepingText(text, new Set(['args']))).toEqual(JSON.parse(text))
  })

  test('a nested member of the same name belongs to the outer text', () => {
    const value = parseKeepingText('{"args":{"args":{"n":1.0}}}', new Set(['args']))
    expect(value).toEqual({ args: new RawJson('{"args":{"n":1.0}}') })
  })
})

describe('writing JSON', () => {
  test('kept text is written unchanged, at any position', () => {
    fc.assert(
      fc.property(allNames, (text) => {
        const raw = new RawJson(text)
        expect(writeJson(raw)).toBe(text)
        expect(writeJson({ a: raw, b: [raw, 1] })).toBe(`{"a":${text},"b":[${text},1]}`)
      }),
    )
  })

  test('values without kept text are written as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  test('everything besides kept text is written as JSON.stringify writes it', () => {
    const strings = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('"', '\\', '\u007f', '\u2028', 'é', ' ~!#[]', 'a'.repeat(64), '\ud800'),
    )
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        strings,
        fc.double(),
        fc.boolean(),
        fc.constantFrom(null, undefined),
        fc.array(tie('value')),
        fc.dictionary(strings, tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(strings, values, (name, value) => {
        const written = writeJson({ a: value, kept: new RawJson('1.0'), [`b${name}`]: [value] })
        const plain = JSON.stringify({ a: value, kept: 1, [`b${name}`]: [value] })
        expect(written).toBe(plain.replace('"kept":1', '"kept":1.0'))
      }),
    )
  })

  test('undefined is omitted in objects and null in lists', () => {
    expect(writeJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}')
    expect(writeJson({ a: undefined })).toBe('{}')
    expect(writeJson([undefined, 1])).toBe('[null,1]')
  })
})

describe('odd texts', () => {
  const broken = [
    '',
    '{',
    '{"a":1.0',
    '[1.0,]',
    "{'a':1.0}",
    '01',
    '1.',
    'NaN',
    '{"a":1e}',
    '"\n"',
    '1.0 x',
  ]
  test.each(broken)('%j is not JSON', (text) => {
    expect(parseExact(text)).toBeUndefined()
    expect(parseKeepingText(text, new Set(['a']))).toBeUndefined()
  })

  test('a thousand levels', () => {
    const text = `${'[{"a":'.repeat(1_000)}1.0${'}]'.repeat(1_000)}`
    expect(writeJson(parseExact(text))).toBe(text)
    expect(jsonTextOf(parseKeepingText(`{"args":${text}}`, new Set(['args'])))).toBe(
      `{"args":${text}}`,
    )
  })

  test('the name __proto__ is a name like others and changes no object', () => {
    const text = '{"__proto__":{"polluted":1.0},"a":{"__proto__":[2.0]}}'
    const value = parseExact(text) as { a: object }
    expect(writeJson(value)).toBe(text)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype)
  })
})
