import { existsSync, readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** @typedef {'postgres' | 'pgbouncer' | 'redis' | 'browser' | 'strace' | 'console' | 'server'} Need what must be there before a suite runs */

/**
 * @typedef {object} Suite
 * @property {string} name the folder of test/
 * @property {number} parts into how many processes its files are divided on two cores: enough for the lanes to end
 *   together, and no more, because each process loads and compiles the sources again, and starts its own browser
 * @property {readonly Need[]} needs
 * @property {Readonly<Record<string, string>>} [env] settings of its processes
 * @property {readonly TestFile[]} files largest first
 */

/** @typedef {{ path: string, bytes: number }} TestFile path: from the project's root, with forward slashes */

/**
 * For suites whose tests run the sources in their own process, and whose processes end after a minute: no compilation
 * for loops that run for long, and memory that was freed is not given back to the system. Each of the two saves about a
 * twelfth of the CPU time (decision 35).
 */
const oneMinute = { BUN_JSC_useFTLJIT: '0', MIMALLOC_PURGE_DELAY: '-1' }

/**
 * In the order of their start: the suite that shows a plain mistake at once, then those with the longest parts, then the
 * rest, whose small parts fill the lanes to the end. A folder of test/ that is not listed here runs last, in one part.
 * @type {readonly Omit<Suite, 'files'>[]}
 */
const known = [
  { name: 'unit', parts: 1, needs: [], env: oneMinute },
  { name: 'chaos', parts: 3, needs: ['postgres', 'pgbouncer', 'redis', 'strace', 'server'] },
  { name: 'browser', parts: 2, needs: ['browser', 'console', 'server'], env: oneMinute },
  { name: 'scenario', parts: 3, needs: ['postgres', 'redis'], env: oneMinute },
  { name: 'process', parts: 4, needs: ['postgres', 'redis', 'console', 'server'] },
  { name: 'store', parts: 3, needs: ['postgres', 'pgbouncer'], env: oneMinute },
  { name: 'sdk', parts: 1, needs: ['postgres'], env: oneMinute },
  { name: 'faults', parts: 2, needs: ['postgres'], env: oneMinute },
  { name: 'mutants', parts: 1, needs: [] },
  { name: 'package', parts: 1, needs: ['postgres', 'console'] },
  { name: 'simulation', parts: 1, needs: [] },
  { name: 'conformance', parts: 1, needs: [], env: oneMinute },
  { name: 'hostile', parts: 1, needs: ['postgres'], env: oneMinute },
  { name: 'ledger-model', parts: 1, needs: ['postgres'] },
  { name: 'soak', parts: 1, needs: ['postgres', 'server'] },
  { name: 'golden', parts: 1, needs: [] },
]

const testFolder = join(projectRoot, 'test')

/**
 * The folders of test/ that contain tests, without the support code.
 * @returns {Suite[]}
 */
export function listSuites() {
  if (!existsSync(testFolder)) return []
  return readdirSync(testFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'support')
    .map((entry) => suiteOf(entry.name))
    .filter(({ files }) => files.length > 0)
    .sort((one, other) => rank(one.name) - rank(other.name) || one.name.localeCompare(other.name))
}

/** @param {string} name @returns {Suite} */
function suiteOf(name) {
  const traits = known.find((suite) => suite.name === name)
  /** @type {Omit<Suite, 'files'>} */
  const unknown = { name, parts: 1, needs: ['postgres'] }
  const suite = traits ?? unknown
  return { ...suite, parts: partsHere(suite.parts), files: listFiles(name) }
}

/**
 * More cores run more parts at a time. The files of a suite in one part share what is expensive.
 * @param {number} parts on two cores
 */
function partsHere(parts) {
  return parts === 1 ? 1 : Math.max(parts, Math.round((parts * availableParallelism()) / 2))
}

/** @param {string} suite @returns {TestFile[]} */
function listFiles(suite) {
  return readdirSync(join(testFolder, suite), { recursive: true })
    .map(String)
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${suite}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({ path, bytes: statSync(join(projectRoot, path)).size }))
    .sort((one, other) => other.bytes - one.bytes || one.path.localeCompare(other.path))
}

/** @param {string} name */
function rank(name) {
  const index = known.findIndex((suite) => suite.name === name)
  return index === -1 ? known.length : index
}
