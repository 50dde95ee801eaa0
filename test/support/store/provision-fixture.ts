import { tmpdir } from 'node:os'
import type { Config } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { ProvisionDeps } from '../../../src/provision/provision-deps.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { hashPassword, isPasswordOf } from '../../../src/store/secrets/password.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { sharedFixtures } from './engine-fixture.ts'

export interface Fixture {
  readonly engine: Engine
  readonly tools: ProvisionDeps
}

/** A new database with the schema and without rows, deleted after the test. */
export type OpenFixture = () => Promise<Fixture>

/**
 * One entry for each engine that this machine has. Each test file calls this function, which also registers the
 * cleanup.
 */
export function fixtures(name: string): [string, OpenFixture][] {
  return sharedFixtures(name).map((fixture) => [
    fixture.kind,
    async () => fixtureOn(await fixture.openMigrated()),
  ])
}

function fixtureOn(engine: Engine): Fixture {
  const vault = createVault(Buffer.from('a secret for tests, long enough for all'))
  return {
    engine,
    tools: { vault, random: systemRandom, nowMs: () => Date.now(), hashPassword, isPasswordOf },
  }
}

export function configOf(text: string, env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ vendors, env, cwd: tmpdir(), readFile: () => text })
}
