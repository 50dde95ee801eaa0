import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { ensureConsoleBuilt } from '../bootstrap/ensure-console-built.mjs'
import { ensureServerBuilt } from '../bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { obtainBrowser } from '../browser/obtain-browser.mjs'
import { obtainPgbouncer } from '../debian/obtain-pgbouncer.mjs'
import { obtainRedis } from '../debian/obtain-redis.mjs'
import { obtainStrace } from '../debian/obtain-strace.mjs'
import { obtainPostgres } from '../postgres/obtain-postgres.mjs'
import { ensureGatewayBuilt } from './ensure-gateway-built.mjs'

/** @typedef {() => Promise<void>} Stop */

/**
 * Builds the gateway and the console if the chosen suites need them.
 * @param {ReadonlySet<import('./list-suites.mjs').Need>} needs
 * @param {NodeJS.ProcessEnv} env is filled in
 */
export async function buildWhatIsTested(needs, env) {
  if (needs.has('console')) await ensureConsoleBuilt()
  if (needs.has('server')) env['TEST_GATEWAY_MAIN'] = await ensureServerBuilt()
}

/**
 * Prepares the resources that the chosen suites share: a gateway that starts quickly, one Postgres with a migrated
 * template, and the paths of a browser, a Redis, a PgBouncer and strace. An environment variable tells the tests about
 * each resource, or about its absence.
 * @param {ReadonlySet<import('./list-suites.mjs').Need>} needs
 * @param {NodeJS.ProcessEnv} env is filled in
 * @param {Stop[]} stops what must be stopped in the end
 */
export async function prepareMachine(needs, env, stops) {
  if (needs.has('server')) env['TEST_GATEWAY'] = await ensureGatewayBuilt()
  if (needs.has('postgres')) await preparePostgres(env, stops)
  if (needs.has('browser')) await prepareBrowser(env)
  if (needs.has('redis')) {
    const redis = await obtainRedis(process.env)
    if ('path' in redis) env['TEST_REDIS'] = redis.path
    else env['TEST_REDIS_MISSING'] = redis.missing
  }
  if (needs.has('pgbouncer')) {
    const pgbouncer = await obtainPgbouncer(process.env)
    if ('path' in pgbouncer) env['TEST_PGBOUNCER'] = pgbouncer.path
    else env['TEST_PGBOUNCER_MISSING'] = pgbouncer.missing
  }
  if (needs.has('strace')) {
    const strace = await obtainStrace(process.env)
    if ('path' in strace) env['TEST_STRACE'] = strace.path
    else env['TEST_STRACE_MISSING'] = strace.missing
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {Stop[]} stops
 */
async function preparePostgres(env, stops) {
  const postgres = await obtainPostgres(process.env)
  if ('missing' in postgres) {
    env['TEST_POSTGRES_MISSING'] = postgres.missing
    process.stdout.write(`! Postgres: ${postgres.missing}\n`)
    return
  }
  stops.push(postgres.stop)
  env['TEST_POSTGRES_URL'] = postgres.url
  const script = join(projectRoot, 'test', 'support', 'postgres', 'make-template.ts')
  const { code, output } = await runChild(bunPath(), [script], { capture: true, env })
  // Without a template each test migrates its own database. A failed migration then shows in a failed test.
  if (code === 0) env['TEST_POSTGRES_TEMPLATE'] = output.trim()
  process.stdout.write(`• Postgres from ${postgres.origin}\n`)
}

/** @param {NodeJS.ProcessEnv} env */
async function prepareBrowser(env) {
  const browser = await obtainBrowser(process.env)
  if ('path' in browser) env['TEST_CHROMIUM'] = browser.path
  else process.stdout.write(`! Browser: ${browser.missing}\n`)
}
