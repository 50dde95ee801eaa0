import './bootstrap/require-node.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'

await ensureInstalled()
// The following imports may need a package that has been installed just now.
const { listChecks } = await import('./testing/list-checks.mjs')
const { listSuites } = await import('./testing/list-suites.mjs')
const { deferSignals } = await import('./testing/defer-signals.mjs')
const { makeMemoryFolder, removeMemoryFolder } = await import('./testing/make-memory-folder.mjs')
const { planParts } = await import('./testing/plan-parts.mjs')
const { buildWhatIsTested, prepareMachine } = await import('./testing/prepare-machine.mjs')
const { readArguments } = await import('./testing/read-arguments.mjs')
const { reportTotals } = await import('./testing/report-totals.mjs')
const { runCheck } = await import('./testing/run-check.mjs')
const { runPart } = await import('./testing/run-part.mjs')
const { runSteps } = await import('./testing/run-steps.mjs')
const { watchSources } = await import('./testing/watch-sources.mjs')

/** @typedef {import('./testing/run-steps.mjs').Step} Step */

const startedMs = performance.now()
const argv = process.argv.slice(2)
const checks = listChecks()
const suites = listSuites()
const names = [...checks, ...suites].map(({ name }) => name)
const chosen = readArguments(argv, names)
const isFiltered = chosen.filters.length > 0 || chosen.names !== undefined
if (chosen.isWatching) await watchSources(argv)

/** @type {Step[]} */
const checkSteps = checks
  .filter(({ name }) => (chosen.steps.length === 0 ? !isFiltered : chosen.steps.includes(name)))
  .map((check) => ({ name: check.name, parts: [() => runCheck(check)] }))
const plans = suites
  .filter(({ name }) => chosen.steps.length === 0 || chosen.steps.includes(name))
  .map((suite) => ({ suite, parts: planParts(suite, chosen.filters, chosen.names) }))
  .filter(({ parts }) => parts.length > 0)
if (checkSteps.length + plans.length === 0) {
  stopWith(
    `No test matches ${chosen.filters.join(', ')}. Steps: ${names.join(', ')}. Without a name, all steps run.`,
  )
}

const signals = deferSignals()
/** @type {(() => Promise<void>)[]} */
const stops = []
const memoryFolder = await makeMemoryFolder()
if (memoryFolder !== undefined) {
  process.env['TMPDIR'] = memoryFolder
  stops.push(async () => removeMemoryFolder(memoryFolder))
}
const env = { ...process.env }
let totals
try {
  const needs = new Set(plans.flatMap(({ suite }) => suite.needs))
  await buildWhatIsTested(needs, env)
  // Servers and programs are installed and started while the checks and the suites that need none of them run.
  const isPrepared = prepareMachine(needs, env, stops)
  // The parts that wait for it report a failure.
  isPrepared.catch(() => {})
  const suiteSteps = plans.map(({ suite, parts }) => ({
    name: suite.name,
    parts: parts.map((part) => async () => {
      if (suite.needs.length > 0) await isPrepared
      return runPart(part, env)
    }),
  }))
  totals = await runSteps([...checkSteps, ...suiteSteps], {
    lanes: chosen.lanes,
    isInterrupted: () => signals.exitCode() > 0,
  })
  await isPrepared
} finally {
  for (const stop of stops.reverse()) await stop()
}

if (signals.exitCode() > 0) process.exit(signals.exitCode())
// A filter that matches no test is more likely a typing error than a request to run nothing.
if (isFiltered && totals.passed + totals.failed + totals.skipped === 0) {
  stopWith(`No test matches ${[...chosen.filters, chosen.names ?? []].flat().join(', ')}.`)
}
reportTotals(totals, performance.now() - startedMs)
process.exit(totals.failed > 0 ? 1 : 0)
