import { tmpdir } from 'node:os'
import { mayInstallPackages } from '../debian/apt-get.mjs'
import { cleanLeftovers } from './clean-leftovers.mjs'
import { embeddedBinaries } from './embedded-binaries.mjs'
import { installDebianPackage } from './install-debian-package.mjs'
import { startServer } from './start-server.mjs'
import { systemBinaries } from './system-binaries.mjs'

/**
 * A real Postgres for the tests: a given server, the installed one, Debian's package, or the npm package, in this
 * order. TEST_POSTGRES_FROM selects one of the last three.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<import('./start-server.mjs').TestPostgres | { missing: string }>}
 */
export async function obtainPostgres(environment) {
  const given = environment['TEST_POSTGRES_URL']
  if (given) return { url: given, origin: 'TEST_POSTGRES_URL', stop: async () => {} }

  await cleanLeftovers(tmpdir())
  const only = environment['TEST_POSTGRES_FROM']
  const sources = [
    { name: 'system', find: systemBinaries },
    { name: 'debian', find: fromDebian },
    { name: 'npm', find: embeddedBinaries },
  ]
  if (only && !sources.some((source) => source.name === only)) {
    const names = sources.map((source) => source.name).join(', ')
    return { missing: `TEST_POSTGRES_FROM is ${only}, which is none of: ${names}` }
  }
  const reasons = []
  for (const source of sources) {
    if (only && only !== source.name) continue
    try {
      const found = await source.find()
      if (found !== undefined) return await startServer(found, { hasQuickSignIn: true })
      reasons.push(`${source.name}: none`)
    } catch (error) {
      reasons.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { missing: `no server could be started (${reasons.join('; ')}); set TEST_POSTGRES_URL` }
}

async function fromDebian() {
  if (!mayInstallPackages()) return undefined
  await installDebianPackage()
  return systemBinaries()
}
