import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { stopWith } from '../bootstrap/stop-with.mjs'

/** The version that produced the figures in docs/benchmarks.md. */
const version = '4.32.5'
const instead = 'You can also name an installed Schemathesis with --schemathesis FILE.'

/**
 * The named program, the installed one if it has the right version, or one from PyPI installed into the folder.
 * @param {string | undefined} named
 * @param {string} folder
 * @returns {string}
 */
export function ensureSchemathesis(named, folder) {
  if (named !== undefined) {
    if (versionOf(named) === undefined) stopWith(`${named} is not Schemathesis.`)
    return named
  }
  const own = join(folder, 'bin', 'st')
  const found = ['schemathesis', own].find((program) => versionOf(program) === version)
  if (found !== undefined) return found
  install(folder)
  return own
}

/** @param {string} program @returns {string | undefined} */
function versionOf(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return /version (?<version>\d[\w.]*)/.exec(stdout ?? '')?.groups?.['version']
}

/** @param {string} folder */
function install(folder) {
  process.stdout.write(`Schemathesis ${version} is installed from PyPI into ${folder}.\n`)
  const steps = [
    {
      command: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))'],
      problem: 'Schemathesis needs Python 3.10 or later, and there is no such python3. Install it.',
    },
    {
      command: ['python3', '-m', 'venv', '--clear', folder],
      problem: 'Python has no module venv, or cannot write there. On Debian, install python3-venv.',
    },
    {
      command: [join(folder, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${version}`],
      problem: 'pip could not install Schemathesis from PyPI. Check the network and the proxy.',
    },
  ]
  for (const { command, problem } of steps) {
    const [program = '', ...options] = command
    if (spawnSync(program, options, { stdio: 'inherit' }).status === 0) continue
    rmSync(folder, { recursive: true, force: true })
    stopWith(`${problem} ${instead}`)
  }
}
