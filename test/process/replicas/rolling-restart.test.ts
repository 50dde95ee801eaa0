import { describe, expect, test } from 'bun:test'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { startBalancedCallers } from './balanced-callers.ts'
import { startRollingCallers } from './rolling-callers.ts'

cleanUpAfterwards()

const callerCount = 8
/** Answers between two restarts, so that both processes are in use. */
const answersBetween = 16
/**
 * Most callers wait for an answer at any moment, so a restart always meets running requests. The gateways then process
 * few requests, which leaves CPU for the restarts.
 */
const answerAfterMs = 300
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const costNano = 350_000n

interface Fixture {
  readonly databaseUrl: string
  readonly upstream: FakeUpstream
  readonly running: TollgateProcess[]
  readonly places: readonly string[]
  restart(index: number, whenGone: () => Promise<void>): Promise<void>
}

const names = ['node-a', 'node-b']

function sqliteUrl(workspace: Workspace): string {
  return `sqlite://${workspace.path('data/tollgate.db')}`
}

/** Two gateways on one database, each of which can be restarted. */
async function startTwo(
  databaseUrl: string | undefined,
  flags: readonly string[],
): Promise<Fixture> {
  const upstream = await startFakeUpstream()
  const answer = { kind: 'lie-usage', usage } as const
  upstream.script({}, { kind: 'late', afterMs: answerAfterMs, of: answer })
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const workspace = makeWorkspace(shopConfig(upstream.url, extra))
  const start = (index: number, listen: string) => {
    const replica = ['--replica', names[index] ?? '']
    return startTollgate(workspace, [
      ...replica,
      '--log-level',
      'error',
      '--listen',
      listen,
      ...flags,
    ])
  }
  const running: TollgateProcess[] = []
  for (const index of names.keys())
    running.push(await start(index, `127.0.0.1:${await freePort()}`))
  const places = running.map(({ url }) => url)
  const restart: Fixture['restart'] = async (index, whenGone) => {
    running[index]?.signal('SIGTERM')
    expect(await running[index]?.exited).toBe(0)
    await whenGone()
    running[index] = await start(index, new URL(places[index] ?? '').host)
  }
  return { databaseUrl: databaseUrl ?? sqliteUrl(workspace), upstream, running, places, restart }
}

async function stopBoth({ running }: Fixture): Promise<void> {
  for (const each of running) each.signal('SIGTERM')
  for (const each of running) expect(await each.exited).toBe(0)
}

async function expectLedger(
  { databaseUrl, upstream }: Fixture,
  answered: readonly string[],
): Promise<void> {
  await upstream.stop()
  const ledger = await readLedger(databaseUrl)
  expect(ledger.imbalances).toEqual([])
  expect(answered.filter((id) => !ledger.entries.has(id))).toEqual([])
  expect(ledger.entries.size).toBe(answered.length)
  expect(ledger.entries.size).toBe(upstream.requests.length)
  expect(ledger.spentNano).toBe(BigInt(ledger.entries.size) * costNano)
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
}

async function moreAnswers({ answered }: { readonly answered: readonly string[] }): Promise<void> {
  const wanted = answered.length + answersBetween
  await eventually('more answers', () => answered.length >= wanted)
}

/** The order of the restarts: one, the other, and then in reverse. */
const order = [0, 1, 1, 0]

async function restartInTurn(databaseUrl: string | undefined): Promise<void> {
  const fixture = await startTwo(databaseUrl, [])
  const callers = startRollingCallers(callerCount, fixture.places)
  await moreAnswers(callers)
  for (const index of order) {
    await fixture.restart(index, () => moreAnswers(callers))
    await moreAnswers(callers)
  }
  await callers.stop()
  await stopBoth(fixture)
  expect(callers.failed).toEqual([])
  // The callers noticed the restarts; otherwise nothing was tested.
  expect(callers.moved()).toBeGreaterThan(0)
  await expectLedger(fixture, callers.answered)
  const figure = `${callers.answered.length} answers, ${callers.moved()} turned to the other process`
  process.stdout.write(`FIGURES: rolling restart: ${figure}, 0 failed\n`)
}

/** Callers without retries, behind a load balancer that requests `/readyz`. */
async function restartBehindBalancer(databaseUrl: string | undefined): Promise<void> {
  const fixture = await startTwo(databaseUrl, ['--lame-duck-seconds', lameDuckSeconds])
  const callers = startBalancedCallers(callerCount, fixture.places)
  await moreAnswers(callers)
  for (const index of order) {
    const place = fixture.places[index] ?? ''
    await eventually('it gets requests', () => callers.isReady(place))
    await fixture.restart(index, async () => {
      expect(callers.isReady(place)).toBe(false)
      await moreAnswers(callers)
    })
    await eventually('it gets requests again', () => callers.isReady(place))
    await moreAnswers(callers)
  }
  await callers.stop()
  await stopBoth(fixture)
  expect(callers.failed).toEqual([])
  await expectLedger(fixture, callers.answered)
}

/** Many checks of the balancer. */
const lameDuckSeconds = String(patience(500) / 1_000)
const timeoutMs = patience(120_000)

/** Each test has its own gateways, database and upstream, and mostly waits. */
describe.concurrent('restarting two processes in turn under load fails no request', () => {
  test('SQLite', () => restartInTurn(undefined), timeoutMs)
  test(
    'SQLite, behind a load balancer, without retries',
    () => restartBehindBalancer(undefined),
    timeoutMs,
  )

  const name = 'process: a rolling restart on Postgres'
  if (postgresServerUrl(name) !== undefined) {
    const onPostgres = async (restart: (databaseUrl: string) => Promise<void>) => {
      const database = await freshDatabase()
      try {
        await restart(database.url)
      } finally {
        await database.drop()
      }
    }
    test('Postgres', () => onPostgres(restartInTurn), timeoutMs)
    test(
      'Postgres, behind a load balancer, without retries',
      () => onPostgres(restartBehindBalancer),
      timeoutMs,
    )
  }
})
