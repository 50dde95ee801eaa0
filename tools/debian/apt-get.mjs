import { existsSync } from 'node:fs'
import { runChild } from '../bootstrap/run-child.mjs'

const aptGet = '/usr/bin/apt-get'
// Without a network apt must fail quickly: a test that lacks a program reports it, and some programs have another
// source.
const impatient = ['-o', 'Acquire::http::Timeout=15', '-o', 'Acquire::Retries=0']

export function mayInstallPackages() {
  return process.getuid?.() === 0 && existsSync(aptGet)
}

/** @type {Promise<void> | undefined} */
let isUpdated

/**
 * Installs a Debian package. The first call updates the package list.
 * @param {string} name
 */
export async function installPackage(name) {
  isUpdated ??= run(aptGet, ['update', '-qq', ...impatient])
  await isUpdated
  await run(aptGet, ['install', '-y', '-qq', ...impatient, '--no-install-recommends', name])
}

/**
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
export async function run(program, programArguments) {
  // Tests start their own servers; a package must not start its service (run level 1 has none).
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const { code, output } = await runChild(program, programArguments, { env, capture: true })
  const lastLine = output.trim().split('\n').at(-1)
  if (code !== 0) throw new Error(`${program} ${programArguments[0]} failed: ${lastLine}`)
}
