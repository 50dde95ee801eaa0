import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { freePort } from '../testing/free-port.mjs'
import { ensureSchemathesis } from './ensure-schemathesis.mjs'
import { seedAdmin } from './seed-admin.mjs'
import { configText } from './write-config.mjs'

const startSeconds = 30
const configName = 'schemathesis.toml'

/**
 * @typedef {object} FuzzOptions
 * @property {string} gateway the built file
 * @property {string} cacheFolder
 * @property {string | undefined} schemathesis
 * @property {number} seed
 * @property {number} cases
 * @property {string | undefined} reportFolder
 * @property {readonly string[]} more options for Schemathesis itself
 */

/**
 * Starts a gateway with an empty database, creates some objects, and runs Schemathesis against it.
 * @param {FuzzOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function fuzzAdmin({ gateway, cacheFolder, schemathesis, seed, cases, ...rest }) {
  const program = ensureSchemathesis(schemathesis, cacheFolder)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-admin-fuzz-'))
  const port = await freePort()
  const settings = ['--data', folder, '--listen', `127.0.0.1:${port}`, '--demo', 'off']
  const child = spawn(bunPath(), [gateway, 'serve', ...settings], { stdio: 'pipe' })
  const said = collect(child)
  try {
    const url = `http://127.0.0.1:${port}`
    await untilReady(url)
    const made = spawnSync(
      bunPath(),
      [gateway, 'tokens', 'create', ...settings, '--name', 'fuzz', '--scope', 'all'],
      { encoding: 'utf8' },
    )
    const token = /tgat_\w+/.exec(made.stdout)?.[0]
    if (token === undefined) throw new Error(`The token could not be created: ${made.stderr}`)
    const known = await seedAdmin(url, token)
    const document = /** @type {any} */ (await (await fetch(`${url}/admin/v1/openapi.json`)).json())
    writeFileSync(join(folder, configName), configText(document, known))
    const code = await run({ program, url, token, folder, seed, cases, ...rest })
    // The log has every answer with status 500, whatever Schemathesis reports.
    const defects = said()
      .split('\n')
      .filter((line) => line.includes('"console_failed"'))
    for (const line of defects) process.stdout.write(`${line}\n`)
    return defects.length > 0 ? 1 : code
  } finally {
    child.kill('SIGINT')
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Pick<FuzzOptions, 'seed' | 'cases' | 'reportFolder' | 'more'>
 *   & { program: string, url: string, token: string, folder: string }} options
 * @returns {Promise<number>}
 */
async function run({ program, url, token, folder, seed, cases, reportFolder, more }) {
  const report = join(reportFolder ?? folder, 'report.json')
  const started = Date.now()
  const code = await finish(
    spawn(
      program,
      [
        `--config-file=${join(folder, configName)}`,
        'run',
        `${url}/admin/v1/openapi.json`,
        `--header=Authorization: Bearer ${token}`,
        '--checks=all',
        '--phases=examples,coverage,fuzzing,stateful',
        `--seed=${seed}`,
        `--max-examples=${cases}`,
        '--generation-database=none',
        `--report-json-path=${report}`,
        ...more,
      ],
      { stdio: 'inherit', cwd: folder },
    ),
  )
  const seconds = Math.round((Date.now() - started) / 1_000)
  process.stdout.write(`seed ${seed}, ${cases} cases for each operation, ${seconds} s\n`)
  return code
}

/** @param {import('node:child_process').ChildProcess} child */
function finish(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** @param {import('node:child_process').ChildProcess} child */
function collect(child) {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      text += String(piece)
    })
  }
  return () => text
}

/** @param {string} url */
async function untilReady(url) {
  const lastMs = Date.now() + startSeconds * 1_000
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok) return
    if (Date.now() > lastMs) throw new Error(`The gateway did not start within ${startSeconds} s.`)
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
  }
}
