import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { patience } from '../support/patience.ts'
import { repeats } from '../support/repeats.ts'
import { runSeed } from './run-seed.ts'

const seeds = repeats(50, 100)
/** Seeds are independent of each other, so each of two processes runs half of them. */
const workers = seeds > 100 ? 2 : 1
const timeoutMs = patience(600_000)
/** Another run uses other seeds. */
const firstSeed = (Number(process.env['TEST_SEED'] ?? 1) - 1) * 1_000_000 + 1

/** Events that must occur, or the seeds prove nothing. */
const troubles = [
  'crash',
  'outage',
  'refusal',
  'full disk',
  'damage',
  'restore',
  'partition',
  'power',
  'takeover',
  'move',
  'pause',
  'machine pause',
  'jump',
  'night',
  'limit',
  'reset',
  'fenced',
  'reclaimed',
]

async function runSeeds(from: number, count: number): Promise<string[]> {
  const script = join(import.meta.dir, 'simulate.ts')
  const command = [process.execPath, script, '--from', String(from), '--count', String(count)]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  await child.exited
  return `${out}${problems}`.trim().split('\n')
}

describe('replicas with failing databases, disks and clocks', () => {
  test(
    `${seeds} seeds`,
    async () => {
      const share = seeds / workers
      const outputs = await Promise.all(
        Array.from({ length: workers }, (_, index) => runSeeds(firstSeed + index * share, share)),
      )
      expect(outputs.flatMap((lines) => lines.slice(0, -1))).toEqual([])
      const totals = outputs.map(
        (lines) => JSON.parse(lines.at(-1) ?? '') as Record<string, number>,
      )
      expect(totals.map(({ seeds: ran, failed }) => ({ ran, failed }))).toEqual(
        Array.from({ length: workers }, () => ({ ran: share, failed: 0 })),
      )
      const missing = troubles.filter((kind) => !totals.some((total) => (total[kind] ?? 0) > 0))
      expect(missing).toEqual([])
    },
    timeoutMs,
  )

  test('the same seed gives exactly the same run', async () => {
    const { seed, ...first } = await runSeed(7)
    expect(await runSeed(seed)).toEqual({ seed, ...first })
  })
})
