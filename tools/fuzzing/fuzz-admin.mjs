import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countAnswers } from './count-answers.mjs'
import { ensureSchemathesis } from './ensure-schemathesis.mjs'
import { operator, owner, tokensText } from './identities.mjs'
import { seedAdmin } from './seed-admin.mjs'
import { stopAccounts } from './stop-accounts.mjs'
import { startGateway } from './temporary-gateway.mjs'
import { configText, tokensName } from './write-config.mjs'

const configName = 'schemathesis.toml'
const root = '/admin/v1'

/**
 * @typedef {object} FuzzOptions
 * @property {string} gateway the built file
 * @property {string} cacheFolder
 * @property {string | undefined} schemathesis
 * @property {number} seed
 * @property {number} cases
 * @property {string | undefined} reportFolder
 * @property {readonly string[]} more options for Schemathesis itself
 *
 * @typedef {Map<string, import('./count-answers.mjs').Counts>} CountsByOperation
 */

/**
 * Runs Schemathesis as an operator and as an owner, each time against a gateway with an empty database in which some
 * objects were created.
 * @param {FuzzOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function fuzzAdmin({ schemathesis, cacheFolder, ...options }) {
  const program = ensureSchemathesis(schemathesis, cacheFolder)
  const started = Date.now()
  const first = await fuzzAs('operator', program, options)
  const second = await fuzzAs('owner', program, options)
  const seconds = Math.round((Date.now() - started) / 1_000)
  const isWhole = !options.more.some((each) => /^--(?:in|ex)clude-/.test(each))
  const silent = report([first.counts, second.counts])
  const { seed, cases } = options
  process.stdout.write(`seed ${seed}, ${cases} cases for each operation, ${seconds} s\n`)
  const isGood = first.isGood && second.isGood && (silent.length === 0 || !isWhole)
  return isGood ? 0 : 1
}

/**
 * @param {'operator' | 'owner'} who
 * @param {string} program
 * @param {Omit<FuzzOptions, 'schemathesis' | 'cacheFolder'>} options
 * @returns {Promise<{ counts: CountsByOperation, isGood: boolean }>}
 */
async function fuzzAs(who, program, { gateway, seed, cases, reportFolder, more }) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-admin-fuzz-'))
  const reports = reportFolder === undefined ? folder : join(reportFolder, who)
  mkdirSync(reports, { recursive: true })
  const { url, token, defects, stop } = await startGateway(gateway, folder)
  try {
    const { known, owners } = await seedAdmin(url, token)
    stopAccounts(folder, known['accounts-stopped'] ?? [])
    const identity = who === 'operator' ? operator(token) : owner(owners)
    const document = /** @type {any} */ (await (await fetch(`${url}${root}/openapi.json`)).json())
    writeFileSync(join(folder, tokensName), tokensText(identity))
    writeFileSync(join(folder, configName), configText(document, known, identity))
    const events = join(reports, 'events.ndjson')
    const code = await run(program, folder, [
      `--config-file=${join(folder, configName)}`,
      'run',
      `${url}${root}/openapi.json`,
      '--checks=all',
      '--phases=examples,coverage,fuzzing,stateful',
      `--seed=${seed}`,
      `--max-examples=${cases}`,
      '--generation-database=none',
      `--report-json-path=${join(reports, 'report.json')}`,
      `--report-ndjson-path=${events}`,
      ...more,
    ])
    const { counts, unlike } = await countAnswers(events, document, root)
    // The log has every answer with status 500, whatever Schemathesis reports.
    const found = [...defects(), ...unlike.map((line) => `not a problem document: ${line}`)]
    for (const line of found) process.stdout.write(`${line}\n`)
    return { counts, isGood: code === 0 && found.length === 0 }
  } finally {
    stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Prints the answers of each operation in both runs.
 * @param {readonly CountsByOperation[]} runs
 * @returns {string[]} operations that never succeeded
 */
function report(runs) {
  const silent = []
  process.stdout.write('\n  2xx    4xx    5xx  operation\n')
  for (const name of runs[0]?.keys() ?? []) {
    const of = runs.map((run) => run.get(name) ?? { good: 0, refused: 0, failed: 0 })
    /** @param {keyof import('./count-answers.mjs').Counts} kind */
    const sum = (kind) => of.reduce((total, each) => total + each[kind], 0)
    const columns = [sum('good'), sum('refused'), sum('failed')]
    process.stdout.write(`${columns.map((each) => `${each}`.padStart(5)).join('  ')}  ${name}\n`)
    if (sum('good') === 0) silent.push(name)
  }
  if (silent.length > 0) process.stdout.write(`Never succeeded: ${silent.join(', ')}\n`)
  return silent
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {readonly string[]} options
 * @returns {Promise<number>} the exit code
 */
function run(program, folder, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: 'inherit', cwd: folder })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
