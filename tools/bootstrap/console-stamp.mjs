import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.mjs'
import { sourceStamp } from './source-stamp.mjs'

const stampName = '.built-from'
/** The build writes here which files outside the console's folder are in the bundle (console/vite.config.ts). */
const listName = '.bundled-sources'

/**
 * Whether the files in a folder are built from exactly the present sources.
 * @param {string} builtFolder
 */
export function isConsoleCurrent(builtFolder, root = projectRoot) {
  const stampPath = join(builtFolder, stampName)
  if (!existsSync(stampPath) || !existsSync(join(builtFolder, listName))) return false
  return readFileSync(stampPath, 'utf8') === bundleStamp(builtFolder, root)
}

/**
 * Runs a build into a folder and notes what it was made from. A source that is changed meanwhile may be in the bundle
 * as it was or as it is: such a build is not noted, and is made again the next time.
 * @template T
 * @param {string} builtFolder
 * @param {() => Promise<T>} build
 */
export async function stampBuild(builtFolder, build, root = projectRoot) {
  const before = treeStamp(root)
  const result = await build()
  if (existsSync(join(builtFolder, listName)) && treeStamp(root) === before) {
    writeFileSync(join(builtFolder, stampName), bundleStamp(builtFolder, root))
  }
  return result
}

/**
 * Of all that is in the bundle. A file that is not in the bundle can only come in by a change to one that is.
 * @param {string} builtFolder
 * @param {string} root
 */
function bundleStamp(builtFolder, root) {
  const shared = readFileSync(join(builtFolder, listName), 'utf8').split('\n').filter(Boolean)
  return stampOf(['console', 'package-lock.json', ...shared], root)
}

/** @param {string} root */
function treeStamp(root) {
  return stampOf(['console', 'package-lock.json', 'src'], root)
}

/** @param {string[]} places @param {string} root */
function stampOf(places, root) {
  return sourceStamp(places.map((place) => join(root, place)))
}
