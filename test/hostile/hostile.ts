import { runConsole } from './run-console.ts'
import { runHostile } from './run-hostile.ts'

/*
 * Hostile inputs against a running gateway: `npm run hostile -- --count 1000000 --seed 7 --minutes 60`. The same seed
 * gives the same inputs. The last lines have the figures; the exit code is 1 after any failure.
 */

function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : Number(process.argv[at + 1])
}

const seed = numberAfter('seed') ?? Date.now() % 1_000_000
const count = numberAfter('count') ?? 1_000_000
const minutes = numberAfter('minutes')
const reportEvery = 10_000

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a line after this many inputs. */
function tellOf(what: string): (done: number) => void {
  let told = 0
  return (done) => {
    if (done - told < reportEvery) return
    told = done
    say(`${done} ${what}`)
  }
}

const startedMs = performance.now()
say(`npm run hostile -- --seed ${seed} --count ${count}`)
const report = await runHostile({
  seed,
  count,
  ...(minutes === undefined ? {} : { untilMs: Date.now() + minutes * 60_000 }),
  onProgress: tellOf('inputs'),
  onStage: say,
})
for (const failure of report.failures) say(`  ${failure}`)
// Printed before the console's part, so that a run that is stopped there still has these figures.
say(JSON.stringify({ ...report, failures: report.failures.length }))
const consoleCount = Math.min(count, Math.ceil(report.inputs / 20))
const consoleReport = await runConsole(seed, consoleCount, tellOf('inputs of the console'))
for (const failure of consoleReport.failures) say(`  ${failure}`)
say(JSON.stringify({ console: { ...consoleReport, failures: consoleReport.failures.length } }))
const minutesTaken = (performance.now() - startedMs) / 60_000
const failed = report.failed + consoleReport.failures.length
say(
  `${report.inputs + consoleReport.inputs} inputs, ${failed} failed, ${minutesTaken.toFixed(0)} min`,
)
process.exit(failed === 0 ? 0 : 1)
