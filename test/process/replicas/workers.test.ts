import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { type LedgerState, readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import { cleanUpAfterwards, runTollgate } from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { startBalancedCallers } from './balanced-callers.ts'
import { openRawStream, type RawStream } from './raw-stream.ts'
import { isReady, killProcess, startWorkers, type Workers, whenGone } from './start-workers.ts'

cleanUpAfterwards()

const callerCount = 6
const answersBetween = 12
/** Most callers wait for an answer at any moment, so a reload and a kill always meet running requests. */
const answerAfterMs = 100
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const costNano = 350_000n
const streamCount = 8
const streaming = 'please stream'
const answered200 = 'tollgate_requests_total{protocol="chat-completions",status="200",reason=""}'
const timeoutMs = patience(120_000)
/** Every caller uses its connection in this time and is asked to close it. An idle one is cut at the end. */
const lameDuckSeconds = String(patience(500) / 1_000)

interface Fixture {
  readonly upstream: FakeUpstream
  readonly workspace: Workspace
  readonly databaseUrl: string
  readonly workers: Workers
  /** Lets the streams end. */
  release(): void
}

async function openFixture(databaseUrl: string | undefined): Promise<Fixture> {
  const upstream = await startFakeUpstream()
  const gate = Promise.withResolvers<void>()
  const events = [roleChunk(), chunk('Hello'), chunk(' again'), stopChunk(), done]
  const gates = [undefined, undefined, gate.promise]
  const answer = { kind: 'lie-usage', usage } as const
  upstream.script({}, { kind: 'late', afterMs: answerAfterMs, of: answer })
  upstream.script({ bodyIncludes: streaming }, { kind: 'events', events, end: 'clean', gates })
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const workspace = makeWorkspace(shopConfig(upstream.url, extra))
  return {
    upstream,
    workspace,
    databaseUrl: databaseUrl ?? `sqlite://${workspace.path('data/tollgate.db')}`,
    workers: await startWorkers(workspace, [
      '--replica',
      'desk',
      '--lame-duck-seconds',
      lameDuckSeconds,
    ]),
    release: gate.resolve,
  }
}

function messages(content: string): JsonObject {
  return { messages: [{ role: 'user', content }] }
}

/**
 * Concurrent requests use separate connections, and the kernel chooses a worker for each connection. Each round has one
 * more connection, because connections that all belong to one worker are reused.
 */
async function expectSpread({ workers }: Fixture): Promise<void> {
  const { url } = workers.gateway
  let count = 0
  let atOnce = callerCount
  await eventually('both workers have answered', async () => {
    const responses = await Promise.all(Array.from({ length: atOnce }, () => askShop(url)))
    atOnce += 1
    for (const response of responses) {
      expect(response.status).toBe(200)
      await response.text()
      count += 1
    }
    return workers.count('request', 1) > 0 && workers.count('request', 2) > 0
  })
  // Every worker shows the sum.
  for (let times = 0; times < 4; times += 1) expect(await workers.metric(answered200)).toBe(count)
}

async function reloadUnderLoad({ workers }: Fixture): Promise<readonly string[]> {
  const before = workers.processes()
  const callers = startBalancedCallers(callerCount, [workers.gateway.url])
  const more = async () => {
    const wanted = callers.answered.length + answersBetween
    await eventually('more answers', () => callers.answered.length >= wanted)
  }
  await more()
  workers.gateway.signal('SIGHUP')
  await eventually('all workers are new', () => workers.count('reloaded') === 1)
  await whenGone(before.values())
  await more()
  expect(callers.isReady(workers.gateway.url)).toBe(true)
  await callers.stop()
  expect(callers.failed).toEqual([])
  return callers.answered
}

/** The streams of the killed worker are cut; those of the other one continue. */
async function killOne({ workers }: Fixture): Promise<readonly RawStream[]> {
  const streams = await Promise.all(
    Array.from({ length: streamCount }, () =>
      openRawStream(workers.gateway.url, messages(streaming)),
    ),
  )
  await eventually('all streams have begun', () =>
    streams.every((stream) => stream.text().includes('Hello')),
  )
  const counted = await workers.metric(answered200)
  const [[number, id] = []] = workers.processes()
  killProcess(id)
  await eventually('the gateway notices', () => workers.count('worker_ended', number) === 1)
  await eventually('the worker is back', () => isReady(workers))
  expect(workers.processes().get(number ?? 0)).not.toBe(id)
  expect(await workers.metric('tollgate_worker_restarts_total')).toBe(1)
  expect(await workers.metric(answered200)).toBe(counted)
  return streams.filter((stream) => stream.ending() === undefined)
}

async function drainWithStreams(
  { workers, release }: Fixture,
  streams: readonly RawStream[],
): Promise<void> {
  workers.gateway.signal('SIGTERM')
  // A service manager may signal twice.
  workers.gateway.signal('SIGTERM')
  // Two have drained for the reload.
  await eventually('both workers drain', () => workers.count('draining') === 4)
  expect(streams.filter((stream) => stream.ending() !== undefined)).toEqual([])
  release()
  await Promise.all(streams.map((stream) => stream.over))
  expect(streams.filter((stream) => !stream.text().includes('[DONE]'))).toEqual([])
}

function expectLedger(ledger: LedgerState, answered: readonly string[], sent: number): void {
  expect(ledger.imbalances).toEqual([])
  for (const id of answered)
    expect(ledger.entries.get(id)).toEqual({ source: 'upstream', costNano })
  expect(ledger.entries.size).toBe(sent)
  expect([...ledger.entries.keys()].filter((id) => !ledger.rows.has(id))).toEqual([])
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
}

async function liveThrough(databaseUrl: string | undefined): Promise<void> {
  const fixture = await openFixture(databaseUrl)
  const { workers, workspace, upstream } = fixture
  expect(await isReady(workers)).toBe(true)
  expect([...workers.processes().keys()]).toEqual([1, 2])
  await expectSpread(fixture)
  const answered = await reloadUnderLoad(fixture)
  await drainWithStreams(fixture, await killOne(fixture))
  expect(await workers.gateway.exited).toBe(0)
  await whenGone(workers.processes().values())
  await upstream.stop()
  expectLedger(await readLedger(fixture.databaseUrl), answered, upstream.requests.length)
  const audit = await runTollgate(workspace, ['audit'])
  expect(audit.code).toBe(0)
}

describe.concurrent('two workers on one port', () => {
  test(
    'SQLite: spread, reload, kill -9, drain; every charge once',
    () => liveThrough(undefined),
    timeoutMs,
  )

  if (postgresServerUrl('process: two workers on Postgres') !== undefined) {
    test(
      'Postgres: spread, reload, kill -9, drain; every charge once',
      async () => {
        const database = await freshDatabase()
        try {
          await liveThrough(database.url)
        } finally {
          await database.drop()
        }
      },
      timeoutMs,
    )
  }
})
