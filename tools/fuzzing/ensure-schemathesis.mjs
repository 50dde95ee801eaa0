import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The version that produced the figures in docs/benchmarks.md. */
const version = '4.32.5'

/**
 * The named program, the installed one, or one from PyPI installed into the folder.
 * @param {string | undefined} named
 * @param {string} folder
 * @returns {string}
 */
export function ensureSchemathesis(named, folder) {
  const there = named ?? (isRunning('schemathesis') ? 'schemathesis' : join(folder, 'bin', 'st'))
  if (named === undefined && there !== 'schemathesis' && !existsSync(there)) install(folder)
  if (!isRunning(there)) throw new Error(`${there} does not run.`)
  return there
}

/** @param {string} program */
function isRunning(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

/** @param {string} folder */
function install(folder) {
  for (const [program, ...options] of [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${version}`],
  ]) {
    const { status } = spawnSync(program ?? '', options, { stdio: 'inherit' })
    if (status !== 0) {
      throw new Error(
        'Schemathesis could not be installed: it needs Python 3.10 with venv, and PyPI. Name one with --schemathesis FILE.',
      )
    }
  }
}
