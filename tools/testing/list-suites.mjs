import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

const testFolder = join(projectRoot, 'test')
// The quick suites come first, so that a plain mistake shows early. A new folder needs no entry.
const order = [
  'unit',
  'conformance',
  'golden',
  'store',
  'scenario',
  'faults',
  'sdk',
  'process',
  'chaos',
  'browser',
]

/**
 * The folders of test/ that hold tests, other than the support code.
 * @returns {string[]}
 */
export function listSuites() {
  if (!existsSync(testFolder)) return []
  return readdirSync(testFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'support' && holdsTests(entry.name))
    .map((entry) => entry.name)
    .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other))
}

/** @param {string} suite */
function holdsTests(suite) {
  const names = readdirSync(join(testFolder, suite), { recursive: true })
  return names.some((name) => /\.test\.tsx?$/.test(String(name)))
}

/** @param {string} suite */
function rank(suite) {
  const place = order.indexOf(suite)
  return place === -1 ? order.length : place
}
