import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DenseSet, type DenseSetMember } from '../../../src/core/runtime/dense-set.ts'

interface Named extends DenseSetMember {
  readonly name: number
}

function member(name: number): Named {
  return { name, denseIndex: undefined }
}

describe('a dense set', () => {
  test('behaves like a Set, whatever is added and removed', () => {
    const step = fc.record({ isAdded: fc.boolean(), name: fc.nat({ max: 12 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const roll = new DenseSet<Named>()
        const model = new Set<Named>()
        const members = Array.from({ length: 13 }, (_, name) => member(name))
        for (const { isAdded, name } of steps) {
          const each = members[name] as Named
          if (!isAdded) expect(roll.remove(each)).toBe(model.delete(each))
          else if (!model.has(each)) {
            roll.add(each)
            model.add(each)
          }
          expect(roll.size).toBe(model.size)
        }
        expect(new Set(roll.list())).toEqual(model)
        expect(roll.list()).toHaveLength(model.size)
      }),
    )
  })

  test('contains each item once', () => {
    const roll = new DenseSet<Named>()
    const one = member(1)
    roll.add(one)
    expect(() => roll.add(one)).toThrow('already in a set')
    expect(roll.list()).toEqual([one])
  })

  test('a list stays unchanged while its members are removed', () => {
    const roll = new DenseSet<Named>()
    const members = [1, 2, 3].map(member)
    for (const each of members) roll.add(each)
    for (const each of roll.list()) roll.remove(each)
    expect(roll.size).toBe(0)
    expect(members.map(({ denseIndex: rollPlace }) => rollPlace)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
