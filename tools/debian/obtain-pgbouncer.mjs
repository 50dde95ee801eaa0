import { existsSync } from 'node:fs'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { installPackage, mayInstallPackages } from './apt-get.mjs'

const place = '/usr/sbin/pgbouncer'

/**
 * PgBouncer, a pooler between the gateway and Postgres: the one that TEST_PGBOUNCER names, the installed one, or
 * Debian's.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ path: string } | { missing: string }>}
 */
export async function obtainPgbouncer(environment) {
  const path = environment['TEST_PGBOUNCER'] ?? place
  if (existsSync(path)) return { path }
  if (path !== place) return { missing: `${path} does not exist` }
  if (!mayInstallPackages()) {
    return { missing: 'no PgBouncer; install it, or name one in TEST_PGBOUNCER' }
  }
  const progress = startProgress("Installing Debian's PgBouncer for the tests (about 1 MB)")
  try {
    await installPackage('pgbouncer')
    return existsSync(path) ? { path } : { missing: 'the package has no PgBouncer' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { missing: `PgBouncer could not be installed (${reason})` }
  } finally {
    progress.stop()
  }
}
