import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { ensureServerBuilt } from './bootstrap/ensure-server-built.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { fuzzAdmin } from './fuzzing/fuzz-admin.mjs'

/*
 * Runs Schemathesis against the admin API of a temporary gateway, over the whole API description: `npm run admin-fuzz
 * -- --seed 7 --cases 100`. Schemathesis comes from --schemathesis FILE, from the machine, or from PyPI into
 * node_modules/.cache. The last lines have the figures. The exit code is 1 when anything was found.
 */

if (process.argv.includes('--help')) {
  console.log(
    'Usage: npm run admin-fuzz -- [--seed N] [--cases N] [--schemathesis FILE] [--report FOLDER] [-- OPTIONS OF SCHEMATHESIS]',
  )
  process.exit(0)
}

/** @param {string} name */
function after(name) {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

await ensureInstalled()
const code = await fuzzAdmin({
  gateway: await ensureServerBuilt(),
  cacheFolder: join(projectRoot, 'node_modules', '.cache', 'schemathesis'),
  schemathesis: after('schemathesis'),
  seed: Number(after('seed') ?? Date.now() % 1_000_000),
  /** For each operation, in the random phase. */
  cases: Number(after('cases') ?? 100),
  reportFolder: after('report'),
  more: process.argv.includes('--') ? process.argv.slice(process.argv.lastIndexOf('--') + 1) : [],
})
process.exit(code)
