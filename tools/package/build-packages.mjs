import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureConsoleBuilt } from '../bootstrap/ensure-console-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { stopWith } from '../bootstrap/stop-with.mjs'
import { buildDebian } from './build-debian.mjs'
import { buildExecutable, copyConsole } from './build-executable.mjs'
import { readBuildInfo } from './build-info.mjs'
import { buildNpm } from './build-npm.mjs'
import { listComponents } from './list-components.mjs'
import { targets } from './targets.mjs'
import { writeLicenses } from './write-licenses.mjs'
import { writeSbom } from './write-sbom.mjs'
import { writeSums } from './write-sums.mjs'

const kinds = [...targets.map(({ name }) => name), 'npm', 'debian']
const usage = `Usage: npm run package -- [--only ${kinds.join('|')} …] [--out FOLDER]`

/**
 * Builds all packages, or those that `--only` names.
 * @param {readonly string[]} given arguments of the command line
 * @returns {Promise<string>} the folder
 */
export async function buildPackages(given) {
  const { only, out } = readOptions(given)
  await ensureConsoleBuilt()
  const info = readBuildInfo()
  const folder = out ?? join(projectRoot, 'build', 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const consoleFolder = copyConsole(folder)
  const { commit } = info
  const components = await listComponents()
  const licenses = writeLicenses(components)
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses)
  writeFileSync(join(folder, 'sbom.cdx.json'), writeSbom(components, info))
  const parts = { commit, consoleFolder, licenses, folder }
  for (const target of targets) {
    const isDebian = target.debian !== undefined && only.includes('debian')
    if (!only.includes(target.name) && !isDebian) continue
    const executable = await buildExecutable(target, parts)
    report(executable)
    if (isDebian) report(await buildDebian(target, { ...parts, info, executable }))
    if (!only.includes(target.name)) rmSync(executable)
  }
  if (only.includes('npm')) report(await buildNpm(parts))
  rmSync(consoleFolder, { recursive: true })
  writeSums(folder)
  return folder
}

/** @param {string} file */
function report(file) {
  const megabytes = (statSync(file).size / 1e6).toFixed(1)
  process.stdout.write(`${basename(file).padEnd(40)} ${megabytes.padStart(7)} MB\n`)
}

/** @param {readonly string[]} given */
function readOptions(given) {
  try {
    const options = /** @type {const} */ ({
      only: { type: 'string', multiple: true },
      out: { type: 'string' },
    })
    const { values } = parseArgs({ args: [...given], options })
    const unknown = values.only?.filter((name) => !kinds.includes(name)) ?? []
    if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is none of ${kinds.join(', ')}`)
    return { only: values.only ?? kinds, out: values.out }
  } catch (error) {
    stopWith(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}
