import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.mjs'

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage */

/**
 * Whether `npm ci` or `npm install` ran before: npm leaves a lockfile of the installed packages in node_modules.
 * Packages of other platforms are optional and may be missing.
 * @returns {boolean}
 */
export function isInstalledByHand() {
  const wanted = readPackages(join(projectRoot, 'package-lock.json'))
  const installed = readPackages(join(projectRoot, 'node_modules', '.package-lock.json'))
  if (wanted === undefined || installed === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path]
    if (path === '' || (found === undefined && entry.optional)) return true
    return found?.version === entry.version && found?.integrity === entry.integrity
  })
}

/**
 * @param {string} path
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}
