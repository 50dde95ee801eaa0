import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { longFiles } from './long-files.mjs'
import { mayContainTest } from './may-contain-test.mjs'

/** For a test file that is not listed in long-files.mjs. */
const bytesPerSecond = 8_000

/**
 * One process of the test runner: some files of a suite, or the tests of a suite whose names match.
 * @typedef {object} Part
 * @property {string} suite
 * @property {readonly string[]} files
 * @property {string | undefined} names a pattern that the full name of a test must fit
 * @property {Readonly<Record<string, string>>} [env] settings of the process
 */

/**
 * The processes that run a suite. A filter matches a test file by its path, by a file of `src/` that the test file
 * imports (`src/ledger`), or else a test by its name (`messages`). Matching files run whole; of the others, those that
 * mention the word are loaded, and only their tests with matching names run.
 * @param {import('./list-suites.mjs').Suite} suite
 * @param {readonly string[]} filters
 * @param {string | undefined} names
 * @returns {Part[]}
 */
export function planParts(suite, filters, names) {
  const paths = suite.files.map(({ path }) => path)
  if (filters.length === 0) return partsOf(suite, paths, names)
  const chosen = paths.filter((path) => filters.some((filter) => fits(path, filter)))
  const byName = filters.filter((filter) => !/[/\\]|\.ts$/.test(filter))
  const rest = paths.filter(
    (path) => !chosen.includes(path) && byName.some((word) => mayContainTest(path, word)),
  )
  const whole = partsOf(suite, chosen, names)
  if (byName.length === 0 || names !== undefined) return whole
  return [...whole, ...partsOf(suite, rest, byName.map(escapePattern).join('|'))]
}

/**
 * The longest files come first, and each goes to the part with the least work, so that the parts are about equal.
 * @param {import('./list-suites.mjs').Suite} suite
 * @param {readonly string[]} paths
 * @param {string | undefined} names
 * @returns {Part[]}
 */
function partsOf({ name, parts, files, env = {} }, paths, names) {
  const chosen = files
    .filter(({ path }) => paths.includes(path))
    .map((file) => ({ path: file.path, seconds: secondsOf(file) }))
    .sort((one, other) => other.seconds - one.seconds)
  const count = Math.min(parts, chosen.length)
  const heaps = Array.from({ length: count }, () => ({ seconds: 0, files: listOfPaths() }))
  for (const { path, seconds } of chosen) {
    const least = heaps.reduce((one, other) => (other.seconds < one.seconds ? other : one))
    least.seconds += seconds
    least.files.push(path)
  }
  return heaps.map((heap) => ({ suite: name, files: heap.files, names, env }))
}

/** @returns {string[]} */
function listOfPaths() {
  return []
}

/** @param {import('./list-suites.mjs').TestFile} file */
function secondsOf({ path, bytes }) {
  return longFiles[path] ?? bytes / bytesPerSecond
}

/**
 * @param {string} path
 * @param {string} filter
 */
function fits(path, filter) {
  const wanted = filter.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, '')
  if (path.includes(wanted)) return true
  if (!wanted.startsWith('src/')) return false
  if (path.includes(`/${wanted.slice('src/'.length).replace(/\.ts$/, '')}`)) return true
  const text = readFileSync(join(projectRoot, path), 'utf8')
  return new RegExp(`from '[./]+/${escapePattern(wanted)}(?:/|\\.ts'|')`).test(text)
}

/** @param {string} text */
export function escapePattern(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
