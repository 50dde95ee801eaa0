import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { scanJson } from '../../../src/wire/scan-json.ts'
import { repeats } from '../../support/repeats.ts'
import { writtenObjects } from './json-texts.ts'

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const proto = [
  '"__proto__"',
  '"\\u005f_proto__"',
  '"__pr\\u006Fto__"',
  '"\\u005f\\u005fproto\\u005F_"',
]

function problemIn(text: string): string {
  const scan = scanJson(text, 64)
  return scan.ok ? '' : scan.problem
}

describe('scanning JSON', () => {
  test('finds the position of every outermost member, whatever the spelling', () => {
    fc.assert(
      fc.property(writtenObjects, ({ text, written }) => {
        const scan = scanJson(text, 64)
        if (!scan.ok) throw new Error(scan.problem)
        expect([...scan.members.keys()]).toEqual(written.map((each) => each.name))
        for (const each of written) {
          const span = scan.members.get(each.name)
          expect(text.slice(span?.valueStart, span?.valueEnd)).toBe(each.value)
          const member = text.slice(span?.memberStart, span?.valueEnd)
          expect(member).toBe((each.before + each.value).trimStart())
        }
      }),
      { numRuns: repeats(500) },
    )
  })

  test('64 levels and not one more, however many there are', () => {
    expect(problemIn(deep(64))).toBe('')
    expect(problemIn(deep(65))).toContain('deeper than 64')
    expect(problemIn(deep(1_000_000))).toContain('deeper than 64')
  })

  const depths: [string, number, boolean][] = [
    ['{"a":{"b":{"c":1}}}', 3, true],
    ['{"a":{"b":{"c":{}}}}', 3, false],
    ['{"a":[[[1]]]}', 4, true],
    ['{"a":[[[1]]]}', 3, false],
    ['{"a":"[[[[[[[[[[{{{{{{{"}', 1, true],
    ['[[],[],[],[],[]]', 2, true],
  ]
  test.each(depths)('depth of %s within %d: %p', (text, depthMax, isFine) => {
    const scan = scanJson(text, depthMax)
    expect(scan.ok).toBe(isFine)
    if (!scan.ok) expect(scan.problem).toContain(`deeper than ${depthMax}`)
  })

  const doubled = [
    '{"a":1,"a":2}',
    '{"a":1,"b":{},"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"\\u0061":2}',
    '{"x/y":1,"x\\/y":2}',
    '{"":1,"":2}',
    '{"o":{"a":1,"a":2}}',
    '{"o":[1,[{"a":1,"b":2,"a":3}]]}',
    '{"a\\"b":1,"a\\u0022b":2}',
    `{${Array.from({ length: 40 }, (_, index) => `"n${index}":1`).join(',')},"n0":2}`,
    `{${Array.from({ length: 40 }, (_, index) => `"n${index}":1`).join(',')},"n39":2}`,
  ]
  test.each(doubled)('a name twice in one object is refused: %s', (text) => {
    expect(problemIn(text)).toContain('appears twice')
  })

  const single = [
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":["a","a"],"b":"b"}',
    '{"a":"\\"a\\":1,","b":"{\\"a\\":1}"}',
    '{"a\\\\":"\\\\","b":"\\\\\\"","c":1}',
    '{"A":1,"a":2}',
    '{"n":[1,2,{"x":1}],"x":{"n":[{"x":2}]}}',
    `{${Array.from({ length: 40 }, (_, index) => `"n${index}":{"n${index}":1}`).join(',')}}`,
  ]
  test.each(single)('the same word elsewhere is not a duplicate name: %s', (text) => {
    expect(scanJson(text, 64).ok).toBe(true)
  })

  test.each(proto)('the name %s is refused at any depth, and harmless as a value', (name) => {
    for (const text of [`{${name}:1}`, `{"a":[{"b":{${name}:{}}}]}`, `{"a":1,${name}:null}`])
      expect(problemIn(text)).toContain('__proto__')
    expect(scanJson(`{"a":${name},"b":[${name}]}`, 64).ok).toBe(true)
  })

  test('whatever the text, it ends without throwing', () => {
    const pieces = fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' '))
    fc.assert(
      fc.property(pieces, (parts) => {
        scanJson(parts.join(''), 64)
      }),
      { numRuns: repeats(1_000) },
    )
  })

  test('a string without an end is reported as such', () => {
    expect(scanJson('{"a":"b', 64)).toEqual({ ok: false, problem: 'a string is not closed' })
    expect(scanJson('{"a":"b\\"}', 64)).toEqual({ ok: false, problem: 'a string is not closed' })
  })

  test('a message never contains a whole long name', () => {
    const name = 'n'.repeat(100_000)
    expect(problemIn(`{"${name}":1,"${name}":2}`)).not.toContain('n'.repeat(100))
  })
})
