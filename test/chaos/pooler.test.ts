import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import {
  pgbouncerPath,
  startPgbouncer,
  type TestPooler,
} from '../support/postgres/start-pgbouncer.ts'
import { askShop } from '../support/process/shop.ts'
import { makeWorkspace } from '../support/process/workspace.ts'
import { type Callers, startCallers } from './callers.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { seededRandom } from './chaos-seed.ts'
import { chaosConfig, chaosKey, numberedBody } from './chaos-shop.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { cleanVerdict, compareLedger } from './compare-ledger.ts'
import { endLivesAfterwards, type GatewayLife, startLife } from './gateway-life.ts'
import { mergeSeen } from './merge-seen.ts'
import {
  body,
  costNano,
  dropRaceDatabases,
  line,
  nanoPerDollar,
  oddReplies,
  usage,
} from './race-line.ts'

endLivesAfterwards()
afterAll(dropRaceDatabases)

const name = 'chaos: PgBouncer in transaction mode'
const timeoutMs = patience(120_000)
const serverUrl = postgresServerUrl(name)
const path = serverUrl === undefined ? undefined : pgbouncerPath(name)

/** Fewer than the connections of one gateway to the pooler. */
const poolSize = 4
const affordable = 20
const callersEach = 8
const betweenMs = 40

let pooler: TestPooler
if (serverUrl !== undefined && path !== undefined) {
  beforeAll(async () => {
    pooler = await startPgbouncer(path, serverUrl, { poolSize })
  }, timeoutMs)
  afterAll(() => pooler.stop(), timeoutMs)
}

async function answers({ seen }: Callers, count: number): Promise<void> {
  const wanted = seen.whole.size + count
  await eventually(`${count} more answers`, () => seen.whole.size >= wanted)
}

async function stopAll(lives: readonly GatewayLife[]): Promise<void> {
  for (const life of lives) life.signal('SIGTERM')
  for (const life of lives) expect(await life.exited).toBe(0)
}

async function race(): Promise<void> {
  const upstream = startChaosUpstream({ pauseMs: () => 0, usage: () => usage })
  const creditDollars = Number(costNano * BigInt(affordable)) / nanoPerDollar
  const shop = { accounts: [{ id: 'acme', creditDollars }], keys: [chaosKey('k1', 'acme')] }
  const fixture = { processes: 2, isPostgres: true, through: (url: string) => pooler.urlOf(url) }
  const { lives, openAll, databaseUrl } = await line(fixture, shop, upstream.url, body)
  const calls = await openAll()
  const replies = await Promise.all(calls.map(({ send }) => send()))
  await stopAll(lives)
  await upstream.stop()
  expect(oddReplies(replies)).toEqual([])
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(affordable)
  const ledger = await readChaosLedger(databaseUrl)
  expect(ledger.entries.size).toBe(affordable)
  expect(ledger.leastNano).toBe(0n)
  expect(ledger.leases).toBe(0)
  expect(ledger.imbalances).toEqual([])
}

/** Two gateways under load while the pooler is paused and while it is down; one gateway is killed. */
async function outlive(): Promise<void> {
  const upstream = startChaosUpstream()
  const database = await freshDatabase({ isEmpty: true })
  const shop = {
    accounts: [{ id: 'acme', creditDollars: 2_000 }],
    keys: ['w1', 'w2', 'w3', 'cold'].map((id) => chaosKey(id, 'acme')),
  }
  const warm = shop.keys.slice(0, 3)
  const cold = shop.keys[3]?.value ?? ''
  const workspace = makeWorkspace(chaosConfig(shop, upstream.url, pooler.urlOf(database.url)))
  const start = (replica: string) => startLife(workspace, ['--replica', replica])
  const lives = await Promise.all([start('node-a'), start('node-b')])
  const callers = lives.map((_, index) =>
    startCallers({
      count: callersEach,
      keySets: warm.map((key) => [key]),
      random: seededRandom(30 + index),
      leavesOneIn: 20,
      betweenMs,
    }),
  )
  const [first, second] = callers as [Callers, Callers]
  first.turnTo(await lives[0]?.ready)
  const url = (await lives[1]?.ready) ?? ''
  second.turnTo(url)
  await Promise.all(callers.map((each) => answers(each, 100)))

  lives[0]?.signal('SIGKILL')
  await lives[0]?.exited
  first.turnTo(undefined)
  lives[0] = await start('node-a')
  first.turnTo(await lives[0].ready)
  await answers(first, 30)

  pooler.pause()
  await answers(second, 30)
  pooler.resume()
  await pooler.kill()
  await answers(second, 30)
  await pooler.start()
  await eventually('a key without a lease is served again', async () => {
    second.seen.sent += 1
    const response = await askShop(url, { key: cold, body: numberedBody(0, false) })
    await response.text()
    return response.status === 200
  })
  await Promise.all(callers.map((each) => answers(each, 30)))
  for (const each of callers) each.turnTo(undefined)
  await Promise.all(callers.map((each) => each.stop()))
  await stopAll(lives)
  await upstream.stop()
  const ledger = await readChaosLedger(database.url)
  const seen = mergeSeen(callers.map((each) => each.seen))
  expect(compareLedger(ledger, seen, upstream.asked)).toEqual(cleanVerdict)
  expect(ledger.leases).toBe(0)
  expect(journalFiles(workspace.path('data'))).toEqual([])
  await database.drop()
}

if (serverUrl !== undefined && path !== undefined) {
  describe('Postgres behind PgBouncer in transaction mode', () => {
    test(
      `500 requests at once to two gateways, money for ${affordable}: exactly these are admitted`,
      race,
      timeoutMs,
    )
    test(
      'a killed gateway, a paused pooler and a killed pooler lose and double nothing',
      outlive,
      timeoutMs,
    )
  })
}
