// Measures the gateway, nginx and the bare upstream side by side, in one run on one machine.
import { readdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { runAgainst } from './against/run-against.ts'
import { runBudgetScenario } from './budget-scenario.ts'
import { ensurePrograms } from './ensure-programs.ts'
import { checkFixture, clearFixture, type Fixture, makeFolder, openFixture } from './fixture.ts'
import { gatewayLogLevel } from './gateway-config.ts'
import { runDurabilityScenario, runLedgerScenario, runShipperScenario } from './ledger-scenarios.ts'
import { runLimitsScenario } from './limits-scenario.ts'
import { runRequestScenario, runStreamScenario } from './load-scenario.ts'
import { runOpenStreamsScenario } from './open-streams-scenario.ts'
import { runPlanningScenario } from './planning-scenario.ts'
import { describeGoal, printOutcome } from './print-report.ts'
import { type Options, readOptions, usageText } from './read-options.ts'
import { isReached, type Outcome, type ScenarioName, scenarioNames } from './scenario.ts'
import { runIdleScenario, runReadyScenario } from './start-scenarios.ts'
import {
  runTranslatedRequestScenario,
  runTranslatedStreamScenario,
} from './translated-scenarios.ts'
import { runWorkersScenario } from './workers-scenario.ts'

const scenarios: Readonly<Record<ScenarioName, (fixture: Fixture) => Outcome | Promise<Outcome>>> =
  {
    planning: runPlanningScenario,
    budgets: runBudgetScenario,
    limits: runLimitsScenario,
    ready: runReadyScenario,
    idle: runIdleScenario,
    'open-streams': runOpenStreamsScenario,
    request: runRequestScenario,
    stream: runStreamScenario,
    'translated-stream': runTranslatedStreamScenario,
    'translated-request': runTranslatedRequestScenario,
    workers: runWorkersScenario,
    ledger: runLedgerScenario,
    shipper: runShipperScenario,
    durability: runDurabilityScenario,
  }

const folder = makeFolder()
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true
    void clearFixture(folder).finally(() => process.exit(130))
  })
}

try {
  process.exitCode = await main(readOptionsOrExplain())
  await clearFixture(folder)
} catch (error) {
  // Errors that an interruption causes are not reported.
  if (!interrupted) await giveUp(error)
}

async function main(options: Options): Promise<number> {
  const load = loadavg()[0] ?? 0
  console.log(`${cpus().length} cores, load average ${load.toFixed(2)} before the start`)
  if (options.against !== undefined) return await runAgainst(options, options.against, folder)
  const { warmUpMs, windowMs, rounds } = options
  console.log(
    `the gateway's log level is ${gatewayLogLevel}, nginx's access log is off; under load every target warms up for ${warmUpMs / 1000} s before each window of ${windowMs / 1000} s, in ${rounds === 1 ? 'one round' : `${rounds} rounds`}`,
  )
  const fixture = await openFixture(options, ensurePrograms(), folder)
  const outcomes: Outcome[] = []
  const play = async (name: ScenarioName) => {
    console.log(`\n${name} …`)
    const outcome = await scenarios[name](fixture)
    printOutcome(outcome)
    outcomes.push(outcome)
  }
  // Idle memory must be measured before the first request, including the requests of the check.
  const beforeLoad = (name: ScenarioName) => ['planning', 'budgets', 'ready', 'idle'].includes(name)
  const chosen = scenarioNames.filter((name) => options.scenarios.includes(name))
  for (const name of chosen.filter(beforeLoad)) await play(name)
  await checkFixture(fixture)
  for (const name of chosen.filter((name) => !beforeLoad(name))) await play(name)
  return conclude(options, outcomes)
}

function readOptionsOrExplain(): Options {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason}\n${usageText}`, { cause: error })
  }
}

async function giveUp(error: unknown): Promise<void> {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
  const keepFolder = readdirSync(folder).length > 0
  if (keepFolder) console.error(`the logs are kept in ${folder}`)
  await clearFixture(folder, keepFolder)
}

function conclude(options: Options, outcomes: readonly Outcome[]): number {
  const goals = outcomes.flatMap((outcome) => outcome.goals)
  console.log('')
  for (const goal of goals) console.log(describeGoal(goal))
  if (options.jsonFile !== undefined) {
    const machine = { cores: cpus().length, cpu: cpus()[0]?.model, bun: Bun.version }
    const report = { at: new Date().toISOString(), machine, rounds: options.rounds, outcomes }
    writeFileSync(options.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`)
  }
  return goals.every(isReached) ? 0 : 1
}
