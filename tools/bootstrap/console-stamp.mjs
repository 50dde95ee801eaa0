import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.mjs'
import { sourceStamp } from './source-stamp.mjs'

const stampName = '.built-from'
/** The build lists the bundled files outside the console's folder here (console/vite.config.ts). */
const listName = '.bundled-sources'
/** What every build reads: the console itself, the packages, and the options of the compiler. */
const always = ['console', 'package-lock.json', 'tsconfig.json']

/**
 * Whether the files in a folder were built from exactly the current sources.
 * @param {string} builtFolder
 */
export function isConsoleCurrent(builtFolder, root = projectRoot) {
  const stampPath = join(builtFolder, stampName)
  if (!existsSync(stampPath) || !existsSync(join(builtFolder, listName))) return false
  return readFileSync(stampPath, 'utf8') === bundleStamp(builtFolder, root)
}

/**
 * Runs a build into a folder and records its sources. If a source changes during the build, the bundle may contain
 * either version. Such a build is not recorded, and the next start builds again.
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
 * Covers all files of the bundle. A file outside the bundle can only enter it by a change to a file inside.
 * @param {string} builtFolder
 * @param {string} root
 */
function bundleStamp(builtFolder, root) {
  const shared = readFileSync(join(builtFolder, listName), 'utf8').split('\n').filter(Boolean)
  return stampOf([...always, ...shared], root)
}

/** @param {string} root */
function treeStamp(root) {
  return stampOf([...always, 'src'], root)
}

/** @param {string[]} places @param {string} root */
function stampOf(places, root) {
  return sourceStamp(places.map((place) => join(root, place)))
}
