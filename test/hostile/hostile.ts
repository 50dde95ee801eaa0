import { runConsole } from './run-console.ts'
import { runHostile } from './run-hostile.ts'

/*
 * Hostile inputs against a running gateway: `npm run hostile -- --count 1000000 --seed 7 --minutes 60`. The same seed
 * gives the same inputs. The last line has the figures; the exit code is 1 when anything happened that must not.
 */

function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : Number(process.argv[at + 1])
}

const seed = numberAfter('seed') ?? Date.now() % 1_000_000
const count = numberAfter('count') ?? 1_000_000
const minutes = numberAfter('minutes')
const reportEvery = 10_000
let told = 0

process.stdout.write(`npm run hostile -- --seed ${seed} --count ${count}\n`)
const report = await runHostile({
  seed,
  count,
  ...(minutes === undefined ? {} : { untilMs: Date.now() + minutes * 60_000 }),
  onProgress: (done) => {
    if (done - told < reportEvery) return
    told = done
    process.stdout.write(`${done} inputs\n`)
  },
})
const consoleReport = await runConsole(seed, Math.min(count, Math.ceil(report.inputs / 20)))
for (const failure of consoleReport.failures) process.stdout.write(`  ${failure}\n`)
for (const failure of report.failures) process.stdout.write(`  ${failure}\n`)
const figures = {
  ...report,
  failures: report.failures.length,
  console: { ...consoleReport, failures: consoleReport.failures.length },
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
process.exit(report.failed + consoleReport.failures.length === 0 ? 0 : 1)
