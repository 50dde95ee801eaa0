import { existsSync } from 'node:fs'
import { runChild } from '../bootstrap/run-child.mjs'

const aptGet = '/usr/bin/apt-get'
// Without a network this must fail soon: a test that lacks a part says so, and some parts come from elsewhere.
const impatient = ['-o', 'Acquire::http::Timeout=15', '-o', 'Acquire::Retries=0']

export function mayInstallPackages() {
  return process.getuid?.() === 0 && existsSync(aptGet)
}

/**
 * Installs a package of Debian's, its list of packages brought up to date first.
 * @param {string} name
 */
export async function installPackage(name) {
  await run(aptGet, ['update', '-qq', ...impatient])
  await run(aptGet, ['install', '-y', '-qq', ...impatient, '--no-install-recommends', name])
}

/**
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
export async function run(program, programArguments) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { code, output } = await runChild(program, programArguments, { env, capture: true })
  const lastLine = output.trim().split('\n').at(-1)
  if (code !== 0) throw new Error(`${program} ${programArguments[0]} failed: ${lastLine}`)
}
