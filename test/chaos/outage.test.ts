import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { askShop } from '../support/process/shop.ts'
import { makeWorkspace } from '../support/process/workspace.ts'
import { type Callers, type Seen, startCallers } from './callers.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { chaosSeed, seededRandom } from './chaos-seed.ts'
import { chaosConfig, chaosKey, numberedBody } from './chaos-shop.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { cleanVerdict, compareLedger } from './compare-ledger.ts'
import { endLivesAfterwards, startLife } from './gateway-life.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'

endLivesAfterwards()

const timeoutMs = patience(120_000)
const callersCount = 24
/** Callers without a pause would use the whole CPU while the server is unavailable. */
const betweenMs = 60
const warmAnswers = 300
const afterwards = 100
const downMs = 2_000

const warm = ['w1', 'w2', 'w3', 'w4'].map((id) => chaosKey(id, 'acme'))
const cold = chaosKey('cold', 'bolt')
const shop = {
  accounts: [
    { id: 'acme', creditDollars: 2_000 },
    { id: 'bolt', creditDollars: 1_000 },
  ],
  keys: [...warm, cold],
}

interface Outage {
  readonly part: number
  readonly name: string
  begin(server: OwnPostgres): Promise<void> | void
  end(server: OwnPostgres): Promise<void> | void
  /** Whether the database refuses queries at once. */
  readonly isRefusing: boolean
}

const outages: readonly Outage[] = [
  {
    part: 21,
    name: 'stopped and restarted',
    begin: (server) => server.end('SIGINT'),
    end: (server) => server.startAgain(),
    isRefusing: true,
  },
  {
    part: 22,
    name: 'crashed and restarted at once',
    begin: async (server) => {
      await server.end('SIGQUIT')
      await server.startAgain()
    },
    end: () => undefined,
    isRefusing: false,
  },
  {
    part: 23,
    name: 'paused and resumed',
    begin: (server) => server.pause(),
    end: (server) => server.goOn(),
    isRefusing: false,
  },
]

const name = 'chaos: Postgres out of reach'
let server: OwnPostgres | undefined
beforeAll(async () => {
  server = await startOwnPostgres(name)
}, timeoutMs)
afterAll(() => server?.remove(), timeoutMs)

async function answers({ seen }: Callers, count: number): Promise<void> {
  const wanted = seen.whole.size + count
  await eventually(`${count} more answers`, () => seen.whole.size >= wanted)
}

async function askCold(url: string, seen: Seen): Promise<number> {
  seen.sent += 1
  const response = await askShop(url, { key: cold.value, body: numberedBody(0, false) })
  await response.text()
  return response.status
}

async function outlive(outage: Outage, own: OwnPostgres): Promise<void> {
  const upstream = startChaosUpstream()
  const database = await freshDatabase({ serverUrl: own.url })
  const workspace = makeWorkspace(chaosConfig(shop, upstream.url, database.url))
  const life = await startLife(workspace, ['--replica', 'node-a'])
  const url = (await life.ready) ?? ''
  const keySets = warm.map((key) => [key])
  const callers = startCallers({
    count: callersCount,
    keySets,
    random: seededRandom(outage.part),
    leavesOneIn: 20,
    betweenMs,
  })
  const { seen } = callers
  callers.turnTo(url)
  await answers(callers, warmAnswers)

  const before = seen.whole.size
  await outage.begin(own)
  const atOnce = seen.whole.size
  if (outage.isRefusing) expect(await askCold(url, seen)).toBe(503)
  await pause(downMs)
  // On a busy machine a request may take longer than the outage.
  await eventually('a key with a lease is served', () => seen.whole.size > before)
  const served = seen.whole.size - before
  const refused = seen.refused.size
  const upMs = performance.now()
  await outage.end(own)
  const startedMs = performance.now()
  await eventually('a cold key is served again', async () => (await askCold(url, seen)) === 200)
  const recoveredMs = performance.now()
  await answers(callers, afterwards)
  callers.turnTo(undefined)
  await callers.stop()
  life.signal('SIGTERM')
  expect(await life.exited).toBe(0)
  await upstream.stop()

  process.stdout.write(
    `FIGURES: Postgres ${outage.name}: ${served} served while it was away (${served - (atOnce - before)} of them ` +
      `after it was gone), ${refused} told to come again, longest wait ${Math.round(seen.longestMs)} ms, ` +
      `a cold key served ${Math.round(recoveredMs - startedMs)} ms after it was back ` +
      `(${Math.round(startedMs - upMs)} ms to start), seed ${chaosSeed}\n`,
  )
  const ledger = await readChaosLedger(database.url)
  expect(compareLedger(ledger, seen, upstream.asked)).toEqual(cleanVerdict)
  expect(ledger.leases).toBe(0)
  expect(journalFiles(workspace.path('data'))).toEqual([])
  await database.drop()
}

/** A gateway that is stopped while the database does not answer still exits, and the next start ships its journal. */
async function endWithout(own: OwnPostgres): Promise<void> {
  const upstream = startChaosUpstream()
  const database = await freshDatabase({ serverUrl: own.url })
  const workspace = makeWorkspace(chaosConfig(shop, upstream.url, database.url))
  const flags = ['--replica', 'node-a', '--drain-seconds', '1']
  const first = await startLife(workspace, flags)
  const keySets = warm.map((key) => [key])
  const callers = startCallers({
    count: callersCount,
    keySets,
    random: seededRandom(24),
    betweenMs,
  })
  callers.turnTo(await first.ready)
  await answers(callers, warmAnswers)
  own.pause()
  try {
    await answers(callers, callersCount)
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
  } finally {
    own.goOn()
  }
  callers.turnTo(undefined)
  await callers.stop()
  expect(journalFiles(workspace.path('data'))).not.toEqual([])
  const second = await startLife(workspace, flags)
  expect(await askCold((await second.ready) ?? '', callers.seen)).toBe(200)
  second.signal('SIGTERM')
  expect(await second.exited).toBe(0)
  await upstream.stop()
  const ledger = await readChaosLedger(database.url)
  // Requests that arrive after the signal to stop are refused before they are logged.
  const refused = new Map([...callers.seen.refused].filter(([, status]) => status !== 503))
  const verdict = compareLedger(ledger, { ...callers.seen, refused }, upstream.asked)
  expect(verdict).toEqual(cleanVerdict)
  expect(ledger.leases).toBe(0)
  expect(journalFiles(workspace.path('data'))).toEqual([])
  await database.drop()
}

describe('Postgres unavailable under load', () => {
  for (const outage of outages) {
    test(
      `${outage.name}: keys with a lease are served, no charge is lost, and the gateway needs no restart`,
      async () => {
        if (server) await outlive(outage, server)
      },
      timeoutMs,
    )
  }

  test(
    'a gateway that is stopped while Postgres is paused exits, and the next start delivers its charges',
    async () => {
      if (server) await endWithout(server)
    },
    timeoutMs,
  )
})
