import { expect, test } from 'bun:test'
import { reuseSlow } from '../../../src/console-api/handlers/usage/reuse-slow.ts'

/** A query that takes a given time, on the clock that measures it. */
function askFor(tookMs: number) {
  let asked = 0
  const ask = async () => {
    asked += 1
    const endMs = performance.now() + tookMs
    while (performance.now() < endMs) await Promise.resolve()
    return asked
  }
  return { ask, count: () => asked }
}

test('a quick answer is computed each time', async () => {
  const owner = {}
  const { ask } = askFor(0)
  expect([await reuseSlow(owner, 'q', ask), await reuseSlow(owner, 'q', ask)]).toEqual([1, 2])
})

test('a slow answer is reused for a while, for the same query on the same database', async () => {
  const owner = {}
  const { ask } = askFor(210)
  expect([await reuseSlow(owner, 'q', ask), await reuseSlow(owner, 'q', ask)]).toEqual([1, 1])
  expect(await reuseSlow(owner, 'another', ask)).toBe(2)
  expect(await reuseSlow({}, 'q', ask)).toBe(3)
})

test('concurrent callers get the same answer', async () => {
  const { ask, count } = askFor(0)
  const owner = {}
  await Promise.all([reuseSlow(owner, 'q', ask), reuseSlow(owner, 'q', ask)])
  expect(count()).toBe(1)
})

test('a failure is not kept', async () => {
  const owner = {}
  let isBroken = true
  const ask = async () => {
    if (isBroken) throw new Error('away')
    return 'here'
  }
  expect(await reuseSlow(owner, 'q', ask).catch(String)).toBe('Error: away')
  isBroken = false
  expect(await reuseSlow(owner, 'q', ask)).toBe('here')
})
