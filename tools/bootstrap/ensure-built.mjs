import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bunPath } from './bun-path.mjs'
import { projectRoot } from './project-root.mjs'
import { runChild } from './run-child.mjs'
import { sourceStamp } from './source-stamp.mjs'
import { stopWith } from './stop-with.mjs'
import { withLock } from './with-lock.mjs'

/** The files and folders that a bundle of the gateway depends on, from the project's root. */
const sources = ['src', 'package-lock.json']

/**
 * @typedef {object} Build
 * @property {string} lock
 * @property {string} stampPath the file that says what the last build was made from
 * @property {readonly string[]} [moreSources] files and folders from the project's root
 * @property {() => readonly string[]} prepare answers the arguments of `bun build`
 * @property {() => void} [finish]
 */

/**
 * Builds with Bun, unless the last build was made from exactly the current sources. Concurrent runs build once.
 * @param {Build} build
 */
export async function ensureBuilt(build) {
  if (isCurrent(build)) return
  await withLock(build.lock, async (addHolder) => {
    if (!isCurrent(build)) await runBuild(build, addHolder)
  })
}

/** @param {Build} build */
function isCurrent(build) {
  const { stampPath } = build
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wantedStamp(build)
}

/** @param {Build} build */
function wantedStamp({ moreSources = [] }) {
  return sourceStamp([...sources, ...moreSources].map((place) => join(projectRoot, place)))
}

/**
 * @param {Build} build
 * @param {(pid: number) => void} addHolder
 */
async function runBuild(build, addHolder) {
  const stamp = wantedStamp(build)
  const result = await runChild(bunPath(), ['build', ...build.prepare()], {
    cwd: projectRoot,
    capture: true,
    onStart: addHolder,
  })
  if (result.isKilled) process.exit(result.code)
  if (result.code !== 0) {
    process.stderr.write(`${result.output.trimEnd()}\n\n`)
    stopWith('The gateway could not be built; the reason is above.')
  }
  build.finish?.()
  mkdirSync(dirname(build.stampPath), { recursive: true })
  writeFileSync(build.stampPath, stamp)
}
