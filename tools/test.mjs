import './bootstrap/require-node.mjs'
import { ensureConsoleBuilt } from './bootstrap/ensure-console-built.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { startProgress } from './bootstrap/start-progress.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'
import { obtainBrowser } from './browser/obtain-browser.mjs'
import { obtainStrace } from './debian/obtain-strace.mjs'
import { obtainPostgres } from './postgres/obtain-postgres.mjs'
import { listChecks } from './testing/list-checks.mjs'
import { listSuites } from './testing/list-suites.mjs'
import { reportStep, skippedLines } from './testing/report-step.mjs'
import { runCheck } from './testing/run-check.mjs'
import { runSuite } from './testing/run-suite.mjs'

/** @typedef {{ name: string, run: () => Promise<import('./testing/run-check.mjs').StepResult> }} Step */

await ensureInstalled()
await ensureConsoleBuilt()

const env = { ...process.env }
const checks = listChecks().map((check) => ({ name: check.name, run: () => runCheck(check) }))
const suites = listSuites().map((name) => ({ name, run: () => runSuite(name, env) }))
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => ![...checks, ...suites].some((step) => step.name === name))
if (unknown.length > 0) {
  const names = [...checks, ...suites].map((step) => step.name).join(', ')
  stopWith(`There is no test step called ${unknown.join(', ')}. Steps: ${names}. No name runs all.`)
}
/** @param {Step} step */
const isChosen = (step) => chosen.length === 0 || chosen.includes(step.name)

/** Suites of pure code: they need neither a database nor a browser. */
const withoutDatabase = new Set(['unit', 'conformance', 'golden'])

const totals = { passed: 0, failed: 0, skipped: 0 }
/** @type {string[]} */
const skips = []
/** @type {Awaited<ReturnType<typeof obtainPostgres>> | undefined} */
let postgres
let interruptedBy = 0
// From here to the end the process must live until the database is stopped and its folder deleted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, (_name, number) => {
    interruptedBy = 128 + number
  })
}

try {
  await runSteps(checks.filter(isChosen))
  const suitesToRun = suites.filter(isChosen)
  if (suitesToRun.some(({ name }) => !withoutDatabase.has(name))) await startPostgres()
  if (suitesToRun.some(({ name }) => name === 'browser')) await findBrowser()
  if (suitesToRun.some(({ name }) => name === 'chaos')) await findStrace()
  await runSteps(suitesToRun)
} finally {
  if (postgres && 'stop' in postgres) await postgres.stop()
}

if (interruptedBy > 0) process.exit(interruptedBy)
process.stdout.write('\n')
for (const line of skips) process.stdout.write(`${line}\n`)
const skippedPart = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed${skippedPart}\n`)
process.exit(totals.failed > 0 ? 1 : 0)

async function startPostgres() {
  if (interruptedBy > 0) return
  postgres = await obtainPostgres(process.env)
  if ('missing' in postgres) {
    env['TEST_POSTGRES_MISSING'] = postgres.missing
    process.stdout.write(`! Postgres: ${postgres.missing}\n`)
  } else {
    env['TEST_POSTGRES_URL'] = postgres.url
    process.stdout.write(`• Postgres from ${postgres.origin}\n`)
  }
}

async function findBrowser() {
  if (interruptedBy > 0) return
  const browser = await obtainBrowser(process.env)
  if ('path' in browser) env['TEST_CHROMIUM'] = browser.path
  else process.stdout.write(`! Browser: ${browser.missing}\n`)
}

async function findStrace() {
  if (interruptedBy > 0) return
  const strace = await obtainStrace(process.env)
  if ('path' in strace) env['TEST_STRACE'] = strace.path
  else env['TEST_STRACE_MISSING'] = strace.missing
}

/** @param {readonly Step[]} steps */
async function runSteps(steps) {
  for (const step of steps) {
    if (interruptedBy > 0) return
    const progress = startProgress(step.name, { announce: false })
    const result = await step.run()
    const elapsedMs = progress.stop()
    if (interruptedBy > 0) return
    reportStep(step.name, result, elapsedMs)
    const lines = skippedLines(result.output)
    skips.push(...lines)
    totals.passed += result.passed
    totals.failed += result.failed
    totals.skipped += result.skipped + lines.length
  }
}
