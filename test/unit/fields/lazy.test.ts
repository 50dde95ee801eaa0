import { describe, expect, test } from 'bun:test'
import { withLazy } from '../../../src/fields/lazy.ts'

describe('lazy members', () => {
  test('nothing is created before its first use, and each value once, also in a copy', () => {
    const made: string[] = []
    const make = (name: string) => () => {
      made.push(name)
      return { name }
    }
    const first = withLazy({ entry: 'text' }, { wire: make('wire'), shown: make('shown') })
    const second = withLazy(first, { shown: make('other') })
    expect(made).toEqual([])
    expect(second.entry).toBe('text')
    expect(second.wire).toBe(first.wire)
    expect(second.shown).toEqual({ name: 'other' })
    expect(second.shown).toBe(second.shown)
    expect(made).toEqual(['wire', 'other'])
  })

  test('an undefined value is created once, too', () => {
    let count = 0
    const lazy = withLazy(
      {},
      {
        nothing: () => {
          count += 1
          return undefined
        },
      },
    )
    expect([lazy.nothing, lazy.nothing]).toEqual([undefined, undefined])
    expect(count).toBe(1)
  })

  test('after a failure the next use tries again', () => {
    let count = 0
    const lazy = withLazy(
      {},
      {
        odd: () => {
          count += 1
          if (count === 1) throw new Error('not yet')
          return count
        },
      },
    )
    expect(() => lazy.odd).toThrow('not yet')
    expect(lazy.odd).toBe(2)
  })
})
