import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { installPackage, run } from '../debian/apt-get.mjs'

const clusterFolder = '/etc/postgresql'

/**
 * Installs Debian's Postgres. The package creates and starts a database cluster of its own, which is not needed: a
 * cluster that did not exist before is dropped again.
 */
export async function installDebianPackage() {
  const before = new Set(listClusters())
  const progress = startProgress("Installing Debian's Postgres for the tests (about 50 MB)")
  try {
    await installPackage('postgresql')
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
