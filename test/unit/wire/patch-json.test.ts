import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { patchMembers, removeMember } from '../../../src/wire/patch-json.ts'
import { scanJson } from '../../../src/wire/scan-json.ts'
import { repeats } from '../../support/repeats.ts'
import { textOf, writtenObjects } from './json-texts.ts'

const newValue = fc.constantFrom('"their-model"', '{"include_usage":true}', 'null', '[1,2]', '""')

function membersOf(text: string) {
  const scan = scanJson(text, 64)
  if (!scan.ok) throw new Error(scan.problem)
  return scan.members
}

function parsed(text: string): unknown {
  return JSON.parse(text)
}

describe('patching JSON', () => {
  test('one value is replaced; every other byte stays', () => {
    fc.assert(
      fc.property(
        writtenObjects,
        fc.nat(),
        newValue,
        ({ lead, tail, written, text }, pick, value) => {
          const chosen = written[pick % Math.max(written.length, 1)]
          if (!chosen) return
          const patched = patchMembers(text, membersOf(text), [{ name: chosen.name, value }])
          const expected = written.map((each) => (each === chosen ? { ...each, value } : each))
          expect(patched).toBe(textOf(lead, expected, tail))
          expect(parsed(patched)).toEqual({
            ...(parsed(text) as object),
            [chosen.name]: parsed(value),
          })
        },
      ),
      { numRuns: repeats(500) },
    )
  })

  test('several values are replaced and added at once, in any order', () => {
    fc.assert(
      fc.property(
        writtenObjects,
        newValue,
        fc.boolean(),
        ({ text, written }, value, isReversed) => {
          const names = [...written.map((each) => each.name), 'added one', 'added "two"']
          const patches = names.map((name) => ({ name, value }))
          if (isReversed) patches.reverse()
          const patched = patchMembers(text, membersOf(text), patches)
          expect(parsed(patched)).toEqual(
            Object.fromEntries(names.map((name) => [name, parsed(value)])),
          )
          const kept = Object.keys(parsed(text) as object)
          expect(
            Object.keys(parsed(patched) as object).filter((name) => kept.includes(name)),
          ).toEqual(kept)
        },
      ),
      { numRuns: repeats(300) },
    )
  })

  test('an added member is at the end, after the unchanged rest', () => {
    fc.assert(
      fc.property(writtenObjects, newValue, ({ text }, value) => {
        const patched = patchMembers(text, membersOf(text), [{ name: 'added', value }])
        const head = text.slice(0, text.lastIndexOf('}'))
        expect(patched.startsWith(head)).toBe(true)
        expect(parsed(patched)).toEqual({ ...(parsed(text) as object), added: parsed(value) })
      }),
    )
  })

  test('without patches the text stays unchanged', () => {
    fc.assert(
      fc.property(writtenObjects, ({ text }) => {
        expect(patchMembers(text, membersOf(text), [])).toBe(text)
        expect(removeMember(text, membersOf(text), 'not there')).toBe(text)
      }),
    )
  })

  test('a removed member is gone, and all others keep their spelling', () => {
    fc.assert(
      fc.property(writtenObjects, fc.nat(), ({ text, written }, pick) => {
        const chosen = written[pick % Math.max(written.length, 1)]
        if (!chosen) return
        const removed = removeMember(text, membersOf(text), chosen.name)
        const { [chosen.name]: _, ...rest } = parsed(text) as Record<string, unknown>
        expect(parsed(removed)).toEqual(rest)
        expect(Object.keys(parsed(removed) as object)).toEqual(Object.keys(rest))
        for (const each of written) {
          if (each !== chosen) expect(removed).toContain((each.before + each.value).trimStart())
        }
      }),
      { numRuns: repeats(500) },
    )
  })

  const rows: [string, string, string][] = [
    ['{"usage":null}', 'usage', '{}'],
    ['{"a":1,"usage":{"b":[1,2]}}', 'usage', '{"a":1}'],
    ['{"usage":1,"a":1.0}', 'usage', '{"a":1.0}'],
    ['{"a":1 , "usage" : null , "b":2}', 'usage', '{"a":1 ,  "b":2}'],
    ['{"us\\u0061ge":null,"a":"}"}', 'usage', '{"a":"}"}'],
    ['{"a":{"usage":1},"usage":2}', 'usage', '{"a":{"usage":1}}'],
  ]
  test.each(rows)('%s without %s is %s', (text, name, expected) => {
    expect(removeMember(text, membersOf(text), name)).toBe(expected)
  })
})
