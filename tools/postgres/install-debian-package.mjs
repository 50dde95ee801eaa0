import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../bootstrap/run-child.mjs'
import { startProgress } from '../bootstrap/start-progress.mjs'

const clusterFolder = '/etc/postgresql'
const aptGet = '/usr/bin/apt-get'
// Without a network this must fail soon: there is one more place to get a server from.
const impatient = ['-o', 'Acquire::http::Timeout=15', '-o', 'Acquire::Retries=0']

export function mayInstallDebianPackage() {
  return process.getuid?.() === 0 && existsSync(aptGet)
}

/**
 * Installs Debian's Postgres. The package makes and starts a database of its own, which nobody asked
 * for: what was not there before is dropped again.
 */
export async function installDebianPackage() {
  const before = new Set(listClusters())
  const progress = startProgress("Installing Debian's Postgres for the tests (about 50 MB)")
  try {
    await run(aptGet, ['update', '-qq', ...impatient])
    await run(aptGet, [
      'install',
      '-y',
      '-qq',
      ...impatient,
      '--no-install-recommends',
      'postgresql',
    ])
    for (const cluster of listClusters().filter((name) => !before.has(name))) {
      await run('/usr/bin/pg_dropcluster', ['--stop', ...cluster.split('/')])
    }
  } finally {
    progress.stop()
  }
}

/** @returns {string[]} such as `15/main` */
function listClusters() {
  if (!existsSync(clusterFolder)) return []
  return readdirSync(clusterFolder).flatMap((version) =>
    readdirSync(join(clusterFolder, version)).map((name) => `${version}/${name}`),
  )
}

/**
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
async function run(program, programArguments) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { code, output } = await runChild(program, programArguments, { env, capture: true })
  const lastLine = output.trim().split('\n').at(-1)
  if (code !== 0) throw new Error(`${program} ${programArguments[0]} failed: ${lastLine}`)
}
