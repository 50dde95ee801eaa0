import { expect, test } from 'bun:test'
import { WorkGate } from '../../../src/console-api/access/work-gate.ts'

/** Work that ends when the test releases it. */
function openWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => async () => {
    begun.push(name)
    await new Promise<void>((resolve) => {
      ends.set(name, resolve)
    })
    return name
  }
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

test('a few run, some wait, known devices go first, and the rest is rejected at once', async () => {
  const gate = new WorkGate({ runningMax: 2, waitingMax: 2 })
  const { begun, work, end } = openWork()
  const run = (isKnown: boolean, name: string) => gate.run(isKnown, work(name))
  const first = [run(false, 'a'), run(false, 'b')]
  const waiting = [run(false, 'c'), run(false, 'd')]
  expect(run(false, 'e')).toBeUndefined()
  const known = [run(true, 'f'), run(true, 'g')]
  expect(run(true, 'h')).toBeUndefined()
  expect(begun).toEqual(['a', 'b'])
  end('a')
  await first[0]
  await Promise.resolve()
  expect(begun).toEqual(['a', 'b', 'f'])
  for (const name of ['b', 'f', 'g', 'c', 'd']) {
    while (!begun.includes(name)) await Promise.resolve()
    end(name)
  }
  expect(await Promise.all([...first, ...known, ...waiting])).toEqual([
    'a',
    'b',
    'f',
    'g',
    'c',
    'd',
  ])
  expect(begun).toEqual(['a', 'b', 'f', 'g', 'c', 'd'])
  const again = run(false, 'i')
  end('i')
  expect(await again).toBe('i')
})

test('failed work releases its place', async () => {
  const gate = new WorkGate({ runningMax: 1, waitingMax: 1 })
  const failing = gate.run(false, () => Promise.reject(new Error('x')))
  const next = gate.run(false, async () => 'next')
  expect(failing).rejects.toThrow('x')
  expect(await next).toBe('next')
})
