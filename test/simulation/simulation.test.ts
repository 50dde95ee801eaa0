import { describe, expect, test } from 'bun:test'
import { runSeed } from './run-seed.ts'

const seeds = 500
const seedsPerTest = 100

/** Seeds that once failed, and what they found. */
const onceFailed = [
  { seed: 309, found: 'after an outage the first to come back took the others for dead' },
  { seed: 32, found: 'two processes with one name, the elder killed before it knew' },
]

async function failuresOf(from: number, count: number): Promise<string[]> {
  const failures: string[] = []
  for (let seed = from; seed < from + count; seed += 1) {
    const { violations } = await runSeed(seed)
    if (violations.length === 0) continue
    failures.push(`npm run simulate -- --seed ${seed}`, ...violations)
  }
  return failures
}

describe('replicas, a database, disks and clocks in trouble', () => {
  test.each(onceFailed)('seed $seed: $found', async ({ seed }) => {
    expect(await failuresOf(seed, 1)).toEqual([])
  })

  test.each(Array.from({ length: seeds / seedsPerTest }, (_, index) => index * seedsPerTest + 1))(
    'seeds from %d on',
    async (from) => {
      expect(await failuresOf(from, seedsPerTest)).toEqual([])
    },
    300_000,
  )

  test('a seed is repeated exactly', async () => {
    const { seed, ...first } = await runSeed(7)
    expect(await runSeed(seed)).toEqual({ seed, ...first })
  })
})
