import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type AttemptNote,
  choiceReasons,
  noteText,
  requestChanges,
} from '../../../src/core/upstreams/attempt-note.ts'
import { readNote } from '../../../src/usage/read-note.ts'

const changes = fc.array(
  fc
    .record({
      change: fc.constantFrom(...requestChanges),
      field: fc.string({ minLength: 1, maxLength: 60 }),
      to: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
    })
    .map(({ to, ...rest }) => (to === undefined ? rest : { ...rest, to })),
  { maxLength: 20 },
)
const notes: fc.Arbitrary<AttemptNote> = fc.record(
  {
    reason: fc.constantFrom(...choiceReasons),
    retryAfter: fc.constantFrom('429', 'upstream_timeout'),
    fallbackFrom: fc.string({ maxLength: 40 }),
    changes,
    answered: fc.integer({ min: 100, max: 599 }),
  },
  { requiredKeys: [] },
)

describe('the note of an attempt', () => {
  test('is read as it was written, without the last changes where it would be too long', () => {
    fc.assert(
      fc.property(notes, (note) => {
        const { changes: all = [], ...rest } = note
        const read = readNote(noteText(note))
        if (typeof read === 'string') throw new Error('a note became a text')
        const { changes: kept = [], ...others } = read
        expect(others).toEqual(rest)
        expect(kept).toEqual(all.slice(0, kept.length))
        if (kept.length < all.length) {
          const one = JSON.stringify({ ...rest, changes: all.slice(0, kept.length + 1) })
          expect(one.length).toBeGreaterThan(300)
        }
      }),
    )
  })

  test.each(['retry after 429, priority; dropped seed', '{broken', '[1]', ''])(
    'from an earlier version stays unchanged text: %j',
    (text) => {
      expect(readNote(text)).toBe(text)
    },
  )
})
