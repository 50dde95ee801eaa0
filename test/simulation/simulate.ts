import { runSeed } from './run-seed.ts'

/* Repeats one seed, or a row of them: `npm run simulate -- --seed 7`, `npm run simulate -- --from 1 --count 100`. */

function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : Number(process.argv[at + 1])
}

const only = numberAfter('seed')
const from = only ?? numberAfter('from') ?? 1
const count = only === undefined ? (numberAfter('count') ?? 100) : 1
let failed = 0
for (let seed = from; seed < from + count; seed += 1) {
  const result = await runSeed(seed)
  const isFailed = result.violations.length > 0
  if (isFailed) failed += 1
  if (isFailed || count === 1) {
    const { replicas, durability, isDiskShared, hasPowerLoss, hasTakeovers } = result.terms
    const terms = { replicas, durability, isDiskShared, hasPowerLoss, hasTakeovers }
    const { requests, answered, lives } = result
    process.stdout.write(
      `seed ${seed}: ${JSON.stringify({ ...terms, requests, answered, lives })}\n`,
    )
    for (const violation of result.violations) process.stdout.write(`  ${violation}\n`)
  }
}
process.stdout.write(`${count} seeds, ${failed} failed\n`)
process.exit(failed > 0 ? 1 : 0)
