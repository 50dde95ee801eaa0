import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { csrfHeader, csrfValue } from '../../../src/console-api/contract.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import {
  type DatabaseProxy,
  startDatabaseProxy,
} from '../../support/postgres/start-database-proxy.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  runTollgate,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const timeoutMs = patience(120_000)
/** Longer than the documentation promises: a later answer counts as none. */
const answerMs = patience(40_000)
const knownKey = 'known-key-0123456789abcdef'
const newKey = 'other-key-0123456789abcdef'

let upstream: FakeUpstream
let database: FreshDatabase
let proxy: DatabaseProxy
let workspace: Workspace
let gateway: TollgateProcess

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

async function ask(key: string): Promise<Answer> {
  const signal = AbortSignal.timeout(answerMs)
  return answerOf(await askShop(gateway.url, { key, signal }))
}

async function answerOf(response: Response): Promise<Answer> {
  await response.text()
  return { status: response.status, retryAfter: response.headers.get('retry-after') }
}

async function get(path: string, key?: string): Promise<Answer> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const signal = AbortSignal.timeout(answerMs)
  return answerOf(await fetch(`${gateway.url}${path}`, { headers, signal }))
}

async function signIn(): Promise<Answer> {
  const response = await fetch(`${gateway.url}/console/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.url, [csrfHeader]: csrfValue },
    body: JSON.stringify({ email: 'a@example.com', password: 'correct horse battery' }),
    signal: AbortSignal.timeout(answerMs),
  })
  return answerOf(response)
}

function config(databaseUrl: string): object {
  const shop = shopConfig(upstream.url, { database: databaseUrl }) as {
    provision: { keys: object[] }
  }
  const more = { account: 'acme', groups: ['default'] }
  shop.provision.keys.push({ ...more, id: 'k2', name: 'known', value: knownKey })
  shop.provision.keys.push({ ...more, id: 'k3', name: 'new', value: newKey })
  return shop
}

const comeBack: Answer = { status: 503, retryAfter: '1' }

/**
 * The common checks of all outages: no request waits for ever, keys with a lease are served, and the gateway recovers.
 */
async function outlive(begin: () => void, end: () => void): Promise<void> {
  // A busy machine may be late before the outage, too.
  await eventually('it is ready', async () => (await get('/readyz')).status === 200)
  await eventually('it is served', async () => (await ask(shopKey)).status === 200)
  // The gateway has this key in memory, but no money for it.
  await eventually('it is known', async () => (await get('/v1/models', knownKey)).status === 200)
  begin()
  const warm = await ask(shopKey)
  const [cold, unknown, console, ...herd] = await Promise.all([
    ask(newKey),
    ask('never-seen-0123456789abcdef'),
    signIn(),
    ...Array.from({ length: 20 }, () => ask(knownKey)),
  ])
  expect(warm.status).toBe(200)
  expect(cold).toEqual(comeBack)
  expect(unknown).toEqual(comeBack)
  expect(console).toEqual({ status: 503, retryAfter: '5' })
  expect(herd).toEqual(herd.map(() => comeBack))
  await eventually('it is not ready', async () => (await get('/readyz')).status === 503)
  expect((await get('/healthz')).status).toBe(200)
  end()
  for (const key of [newKey, knownKey, shopKey])
    await eventually('it is served', async () => (await ask(key)).status === 200)
  expect((await ask('never-seen-0123456789abcdef')).status).toBe(401)
  expect((await signIn()).status).toBe(401)
  await eventually('it is ready', async () => (await get('/readyz')).status === 200)
}

const name = 'process: a database that does not answer'
if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    beforeAll(async () => {
      upstream = await startFakeUpstream()
      database = await freshDatabase()
      proxy = await startDatabaseProxy(database.url)
      // The usual waits, which end within `answerMs`.
      const usual = makeWorkspace(config(proxy.url))
      workspace = { ...usual, env: { ...usual.env, TEST_SLOWNESS: '1' } }
      gateway = await startTollgate(workspace, ['--log-level', 'error'])
    }, timeoutMs)
    afterAll(async () => {
      await upstream.stop()
      await proxy.stop()
      await database.drop()
    }, timeoutMs)

    test(
      'the server does not answer: requests that need it get 503, readyz is 503, and no restart is needed',
      () =>
        outlive(
          () => {
            proxy.silenceOpen()
            proxy.silenceNew()
          },
          () => proxy.heal(),
        ),
      timeoutMs,
    )

    test(
      'only the open connections are dead: the gateway replaces them',
      async () => {
        expect((await ask(shopKey)).status).toBe(200)
        proxy.silenceOpen()
        for (const key of [newKey, knownKey, shopKey])
          await eventually('it is served', async () => (await ask(key)).status === 200)
        await eventually('it is ready', async () => (await get('/readyz')).status === 200)
        // Settlements reach the database, too.
        await eventually('it is shipped', async () => {
          const ledger = await readLedger(database.url)
          return ledger.entries.size === upstream.requests.length
        })
      },
      timeoutMs,
    )

    test(
      'a command reports it instead of waiting',
      async () => {
        proxy.silenceNew()
        const { code, stderr } = await runTollgate(workspace, ['keys', 'list'])
        expect(code).toBe(1)
        expect(stderr).toContain('cannot be reached')
        expect(stderr.trim().split('\n')).toHaveLength(1)
        proxy.heal()
        expect((await runHere(workspace, ['keys', 'list'])).code).toBe(0)
      },
      timeoutMs,
    )

    test(
      'afterwards the ledger balances, and a clean stop leaves no lease or journal line',
      async () => {
        await eventually('it is ready', async () => (await get('/readyz')).status === 200)
        gateway.signal('SIGTERM')
        expect(await gateway.exited).toBe(0)
        const ledger = await readLedger(database.url)
        expect(ledger.imbalances).toEqual([])
        expect(ledger.entries.size).toBe(upstream.requests.length)
        expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
      },
      timeoutMs,
    )
  })
}
