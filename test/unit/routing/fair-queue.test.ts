import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Priority, priorities } from '../../../src/core/upstreams/priority.ts'
import { FairQueue } from '../../../src/routing/fair-queue.ts'
import { repeats } from '../../support/repeats.ts'

interface Member {
  readonly accountId: string
  readonly priority: Priority
  readonly number: number
}

const weights: Readonly<Record<Priority, number>> = { high: 16, normal: 4, low: 1 }
const accounts = ['ann', 'bob', 'cy'] as const

const member = {
  accountId: fc.constantFrom(...accounts),
  priority: fc.constantFrom(...priorities),
}
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), ...member }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'take' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), of: fc.nat() }) },
)

/** Runs the steps beside a plain list of waiting members, and returns every turn with those who waited for it. */
function run(
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  onTurn: (taken: Member, waiting: readonly Member[]) => void,
): void {
  const line = new FairQueue<Member>()
  let waiting: readonly Member[] = []
  let number = 0
  for (const each of steps) {
    if (each.kind === 'add') {
      const added = { accountId: each.accountId, priority: each.priority, number }
      number += 1
      line.add(added)
      waiting = [...waiting, added]
    } else if (each.kind === 'remove') {
      const gone = waiting[each.of % Math.max(waiting.length, 1)]
      if (gone) line.remove(gone)
      waiting = waiting.filter((other) => other !== gone)
    } else {
      const next = line.peek()
      const taken = line.take()
      expect(taken).toBe(next)
      expect(taken === undefined).toBe(waiting.length === 0)
      if (!taken) continue
      expect(waiting).toContain(taken)
      onTurn(taken, waiting)
      waiting = waiting.filter((other) => other !== taken)
    }
  }
}

const isBeside = (one: Member, other: Member) =>
  one.accountId === other.accountId && one.priority === other.priority

describe('a fair line, for any order of arrivals and turns', () => {
  const steps = fc.array(step, { maxLength: 300 })
  const settings = { numRuns: repeats(300) }

  test('requests of one account and class keep their order', () => {
    fc.assert(
      fc.property(steps, (all) =>
        run(all, (taken, waiting) => {
          expect(waiting.find((each) => isBeside(each, taken))).toBe(taken)
        }),
      ),
      settings,
    )
  })

  test('no account of a class has two turns while another one waits for its first', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const turns = new Map<Member, readonly string[]>()
        run(all, (taken, waiting) => {
          for (const each of waiting) {
            if (each === taken || each.priority !== taken.priority) continue
            if (waiting.find((other) => isBeside(other, each)) !== each) continue
            const seen = turns.get(each) ?? []
            // A request behind another one of the same account waits for that one first.
            if (taken.accountId !== each.accountId) expect(seen).not.toContain(taken.accountId)
            turns.set(each, taken.accountId === each.accountId ? [] : [...seen, taken.accountId])
          }
        })
      }),
      settings,
    )
  })

  test('no class waits for more turns of the others than their weights allow', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const passed = new Map<Priority, number>()
        run(all, (taken, waiting) => {
          for (const priority of priorities) {
            const waits = waiting.some((each) => each.priority === priority)
            const count = waits && taken.priority !== priority ? (passed.get(priority) ?? 0) + 1 : 0
            passed.set(priority, count)
            const others = priorities.filter((each) => each !== priority)
            const most = others.reduce(
              (sum, each) => sum + Math.ceil(weights[each] / weights[priority]),
              0,
            )
            expect(count).toBeLessThanOrEqual(most)
          }
        })
      }),
      settings,
    )
  })

  test('when all classes wait, 21 turns are 16 of high, 4 of normal and 1 of low', () => {
    const line = new FairQueue<Member>()
    for (const priority of priorities)
      for (let number = 0; number < 400; number += 1)
        line.add({ accountId: accounts[number % 3] ?? 'ann', priority, number })
    for (let round = 0; round < 10; round += 1) {
      const taken = Array.from({ length: 21 }, () => line.take()?.priority)
      const counts = priorities.map((priority) => taken.filter((each) => each === priority).length)
      expect(counts).toEqual([16, 4, 1])
    }
  })

  test.each([
    ['low', 16],
    ['normal', 4],
  ] as const)(
    'a class %s whose members give up and come again keeps its turn',
    (priority, turns) => {
      const line = new FairQueue<Member>()
      for (let number = 0; number < 200; number += 1)
        line.add({ accountId: 'ann', priority: 'high', number })
      for (let served = 0; served < 5; served += 1) {
        const order: Priority[] = []
        // Each of them waits for fewer turns than its class needs.
        while (!order.includes(priority)) {
          const waiting = { accountId: 'bob', priority, number: order.length }
          line.add(waiting)
          for (let turn = 0; turn < turns - 1 && !order.includes(priority); turn += 1)
            order.push(line.take()?.priority ?? 'low')
          line.remove(waiting)
        }
        expect(order.length).toBeLessThanOrEqual(turns + 1)
        expect(order.length).toBeGreaterThanOrEqual(turns)
      }
    },
  )

  test('a class that was empty does not catch up on turns of the past', () => {
    const line = new FairQueue<Member>()
    line.add({ accountId: 'bob', priority: 'low', number: 0 })
    line.take()
    for (let number = 0; number < 100; number += 1) {
      line.add({ accountId: 'ann', priority: 'high', number })
      line.take()
    }
    for (let number = 0; number < 40; number += 1) {
      line.add({ accountId: 'ann', priority: 'high', number })
      line.add({ accountId: 'bob', priority: 'low', number })
    }
    const taken = Array.from({ length: 34 }, () => line.take()?.priority)
    expect(taken.filter((each) => each === 'low').length).toBe(2)
    expect(taken.slice(0, 16)).not.toContain('low')
  })
})
