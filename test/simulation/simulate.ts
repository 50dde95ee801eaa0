import { runSeed } from './run-seed.ts'

/*
 * Repeats one seed, or several consecutive ones: `npm run simulate -- --seed 7`, `npm run simulate -- --from 1 --count
 * 100`. The last line has the counts of all events.
 */

function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : Number(process.argv[at + 1])
}

const only = numberAfter('seed')
const from = only ?? numberAfter('from') ?? 1
const count = only === undefined ? (numberAfter('count') ?? 100) : 1
const total: Record<string, number> = { seeds: count, failed: 0, requests: 0, answered: 0 }

function tally(name: string, more: number): void {
  total[name] = (total[name] ?? 0) + more
}

for (let seed = from; seed < from + count; seed += 1) {
  const { violations, terms, seen, requests, answered, lives } = await runSeed(seed)
  tally('requests', requests)
  tally('answered', answered)
  for (const [kind, times] of Object.entries(seen)) tally(kind, times)
  if (violations.length > 0) tally('failed', 1)
  if (violations.length > 0 || count === 1) {
    const { creditNano, quotaNano, budgets, ...others } = terms
    const limits = Object.values(budgets ?? {})
      .map(String)
      .join(' ')
    const money = { credit: String(creditNano), quota: String(quotaNano), budgets: limits }
    const figures = { ...money, ...others, requests, answered, lives, seen }
    process.stdout.write(`npm run simulate -- --seed ${seed}\n  ${JSON.stringify(figures)}\n`)
    for (const violation of violations) process.stdout.write(`  ${violation}\n`)
  }
}
process.stdout.write(`${JSON.stringify(total)}\n`)
process.exit(total['failed'] === 0 ? 0 : 1)
