import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

/**
 * @typedef {object} LockedPackage
 * @property {string} version
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {Readonly<Record<string, string>>} [dependencies]
 */

/** @typedef {Readonly<Record<string, LockedPackage>>} LockedPackages by their folder, such as `node_modules/zod` */

/** @returns {LockedPackages} */
export function readLockfile() {
  return JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')).packages
}

/**
 * The folder that an import of one package by another reaches: in the nearest `node_modules` that has it.
 * @param {LockedPackages} packages
 * @param {string} from folder of the importing package; empty for the project
 * @param {string} name
 * @returns {string | undefined}
 */
export function resolvePackage(packages, from, name) {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`
  if (packages[path] !== undefined) return path
  if (from === '') return undefined
  const outer = from.lastIndexOf('/node_modules/')
  return resolvePackage(packages, outer === -1 ? '' : from.slice(0, outer), name)
}
