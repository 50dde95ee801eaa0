import { existsSync } from 'node:fs'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { installPackage, mayInstallPackages } from './apt-get.mjs'

const places = ['/usr/bin/valkey-server', '/usr/bin/redis-server', '/usr/local/bin/redis-server']

/**
 * The server that counts rate limits in tests: the one that TEST_REDIS names, an installed Valkey or Redis, or Debian's
 * Redis.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ path: string } | { missing: string }>}
 */
export async function obtainRedis(environment) {
  const named = environment['TEST_REDIS']
  if (named !== undefined) {
    return existsSync(named) ? { path: named } : { missing: `${named} does not exist` }
  }
  const found = findInstalled()
  if (found !== undefined) return { path: found }
  if (!mayInstallPackages()) {
    return { missing: 'no Redis or Valkey; install one, or name one in TEST_REDIS' }
  }
  const progress = startProgress("Installing Debian's Redis for the tests (about 5 MB)")
  try {
    await installPackage('redis-server')
    const path = findInstalled()
    return path === undefined ? { missing: 'the package has no server' } : { path }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { missing: `Redis could not be installed (${reason})` }
  } finally {
    progress.stop()
  }
}

function findInstalled() {
  return places.find((place) => existsSync(place))
}
