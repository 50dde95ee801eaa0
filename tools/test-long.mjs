import './bootstrap/require-node.mjs'
import { parseArgs } from 'node:util'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'

/*
 * Runs the random tests of `npm test` with many more repetitions and another seed: one round, or as many rounds as fit
 * into the given minutes. The first round that fails ends the run and reports its seed.
 */

await ensureInstalled()
const { listSuites } = await import('./testing/list-suites.mjs')
const { deferSignals } = await import('./testing/defer-signals.mjs')
const { planParts } = await import('./testing/plan-parts.mjs')
const { prepareMachine } = await import('./testing/prepare-machine.mjs')
const { reportTotals } = await import('./testing/report-totals.mjs')
const { runPart } = await import('./testing/run-part.mjs')
const { runSteps } = await import('./testing/run-steps.mjs')

const randomSuites = [
  'chaos',
  'soak',
  'mutants',
  'simulation',
  'ledger-model',
  'hostile',
  'store',
  'unit',
]
const seedMax = 1_000_000
const repeatsByDefault = 20

const { names, minutes, seed, repeats } = readOptions()
const suites = listSuites().filter(({ name }) => names.includes(name))
const startedMs = performance.now()
const signals = deferSignals()
/** @type {(() => Promise<void>)[]} */
const stops = []
const env = { ...process.env, TEST_REPEATS: String(repeats) }
let failed = 0
try {
  await prepareMachine(new Set(suites.flatMap(({ needs }) => needs)), env, stops)
  failed = await runRounds()
} finally {
  for (const stop of stops.reverse()) await stop()
}
process.exit(signals.exitCode() || (failed > 0 ? 1 : 0))

/** @returns {Promise<number>} how many tests of the last round failed */
async function runRounds() {
  const endMs = startedMs + minutes * 60_000
  for (let round = 1; ; round += 1) {
    const roundSeed = seed ?? 1 + Math.floor(Math.random() * seedMax)
    process.stdout.write(`\nRound ${round}, seed ${roundSeed}, ${repeats} times as often\n`)
    const roundEnv = { ...env, TEST_SEED: String(roundSeed) }
    const steps = suites.map((suite) => ({
      name: suite.name,
      // With the script engine as it is in production: these processes run for long.
      parts: planParts({ ...suite, env: {} }, [], undefined).map(
        (part) => () => runPart(part, roundEnv),
      ),
    }))
    const isInterrupted = () => signals.exitCode() > 0
    const totals = await runSteps(steps, { lanes: undefined, isInterrupted })
    if (isInterrupted()) return 0
    reportTotals({ ...totals, repeat: [] }, performance.now() - startedMs)
    if (totals.failed > 0) {
      const chosen = names.length < randomSuites.length ? `${names.join(' ')} ` : ''
      process.stdout.write(
        `To repeat the same random numbers: npm run test:long -- ${chosen}--repeats ${repeats} --seed ${roundSeed}\n`,
      )
      return totals.failed
    }
    if (performance.now() >= endMs || seed !== undefined) return 0
  }
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '0' },
        seed: { type: 'string' },
        repeats: { type: 'string', default: String(repeatsByDefault) },
      },
    })
    const unknown = positionals.filter((name) => !randomSuites.includes(name))
    if (unknown.length > 0) {
      throw new Error(`${unknown.join(', ')} is none of ${randomSuites.join(', ')}`)
    }
    return {
      names: positionals.length > 0 ? positionals : randomSuites,
      minutes: readNumber(values.minutes, 'minutes', 0),
      seed: values.seed === undefined ? undefined : readNumber(values.seed, 'seed', 1),
      repeats: readNumber(values.repeats, 'repeats', 1),
    }
  } catch (error) {
    stopWith(
      `${error instanceof Error ? error.message : String(error)}\n` +
        'Usage: npm run test:long -- [SUITE …] [--minutes N] [--seed N] [--repeats N]',
    )
  }
}

/**
 * @param {string} text
 * @param {string} name
 * @param {number} least
 */
function readNumber(text, name, least) {
  const number = Number(text)
  if (!(number >= least)) throw new Error(`--${name} takes a number of ${least} or more`)
  return number
}
