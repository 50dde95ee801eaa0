import './bootstrap/require-node.mjs'
import { parseArgs } from 'node:util'
import { bunPath } from './bootstrap/bun-path.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { runChild } from './bootstrap/run-child.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'
import { obtainStrace } from './debian/obtain-strace.mjs'
import { obtainPostgres } from './postgres/obtain-postgres.mjs'

/* The step `chaos` of `npm test`, round after round, each with another seed, until the time is over or a round fails. */

const seedMax = 1_000_000
const timeoutMs = 240_000
const { minutes, seed } = readOptions()

await ensureInstalled()
const strace = await obtainStrace(process.env)
if ('missing' in strace) stopWith(`The system calls cannot be chosen: ${strace.missing}`)
const postgres = await obtainPostgres(process.env)
if ('missing' in postgres) stopWith(`There is no Postgres: ${postgres.missing}`)
let interruptedBy = 0
// The process must live until the database is stopped and its folder deleted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, (_name, number) => {
    interruptedBy = 128 + number
  })
}

let code = 0
try {
  code = await runRounds(postgres.url, strace.path)
} finally {
  await postgres.stop()
}
process.exit(interruptedBy || code)

/**
 * @param {string} postgresUrl
 * @param {string} stracePath
 * @returns {Promise<number>}
 */
async function runRounds(postgresUrl, stracePath) {
  const endMs = Date.now() + minutes * 60_000
  for (let round = 1; round === 1 || (Date.now() < endMs && seed === undefined); round += 1) {
    const roundSeed = seed ?? Math.floor(Math.random() * seedMax)
    process.stdout.write(`\nRound ${round}, seed ${roundSeed}\n`)
    const result = await runChild(bunPath(), ['test', './test/chaos', `--timeout=${timeoutMs}`], {
      cwd: projectRoot,
      env: {
        ...process.env,
        TEST_POSTGRES_URL: postgresUrl,
        TEST_STRACE: stracePath,
        CHAOS_SEED: String(roundSeed),
      },
    })
    if (interruptedBy > 0) return interruptedBy
    if (result.code !== 0) {
      process.stdout.write(`\nTo draw the same numbers again: npm run chaos -- --seed ${roundSeed}\n`)
      return result.code
    }
  }
  return 0
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
    })
    const minutes = Number(values.minutes)
    const seed = values.seed === undefined ? undefined : Number(values.seed)
    if (!(minutes > 0) || (seed !== undefined && !Number.isInteger(seed))) throw new Error()
    return { minutes, seed }
  } catch {
    stopWith('Usage: npm run chaos -- [--minutes N] [--seed N]')
  }
}
