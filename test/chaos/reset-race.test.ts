import { afterAll, describe, expect, test } from 'bun:test'
import { openStore } from '../../src/store/open-store.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { giveSettableClock, type SettableClock } from '../support/postgres/settable-clock.ts'
import { redisPath, startRedis, type TestRedis } from '../support/redis/start-redis.ts'
import type { RawReply } from './ask-raw.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { type ChaosShop, chaosKey } from './chaos-shop.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { endLivesAfterwards } from './gateway-life.ts'
import {
  body,
  costNano,
  dropRaceDatabases,
  line,
  nanoPerDollar,
  oddReplies,
  requests,
  usage,
} from './race-line.ts'

endLivesAfterwards()

const timeoutMs = patience(120_000)
const dayMs = 86_400_000
const affordable = 20
/** Requests on the first day, one after the other, so that this day has some spending. */
const early = 5
/** Requests at the moment of the reset. */
const across = requests - 55
const atATime = 60
const dollars = Number(costNano * BigInt(affordable)) / nanoPerDollar

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  await dropRaceDatabases()
})

type Owner = 'key' | 'member' | 'account'

function shopOf(owner: Owner, limits: object): ChaosShop {
  const account = { id: 'acme', creditDollars: 1_000 }
  const daily = { daily: dollars }
  if (owner === 'key')
    return {
      accounts: [account],
      keys: [{ ...chaosKey('k1', 'acme'), budgets: { ...daily, ...limits } }],
    }
  const email = 'someone@example.com'
  const ids = ['k1', 'k2', 'k3', 'k4', 'k5']
  if (owner === 'account')
    return {
      accounts: [{ ...account, budgets: daily }],
      keys: ids.map((id) => ({ ...chaosKey(id, 'acme'), budgets: limits })),
    }
  return {
    accounts: [account],
    keys: ids.map((id) => ({ ...chaosKey(id, 'acme'), owner: email, budgets: limits })),
    users: [{ email, accounts: [{ id: 'acme', role: 'member', ...daily }] }],
  }
}

interface Batch {
  readonly from: number
  readonly to: number
  /** The number of concurrent requests. */
  readonly width: number
  open(index: number): Promise<{ send: () => Promise<RawReply> }>
}

async function sendInTurn({ from, to, width, open }: Batch): Promise<RawReply[]> {
  const replies: RawReply[] = []
  let next = from
  const sendNext = async (): Promise<void> => {
    while (next < to) {
      const call = await open(next++)
      replies.push(await call.send())
    }
  }
  await Promise.all(Array.from({ length: width }, sendNext))
  return replies
}

async function readDays(databaseUrl: string) {
  const engine = await openStore(databaseUrl)
  try {
    return await engine.db
      .selectFrom('budget_counter')
      .select(['starts_at', 'spent_nano', 'available_nano', 'limit_nano'])
      .orderBy('starts_at')
      .execute()
  } finally {
    await engine.close()
  }
}

/** The ids of requests that are charged to the day that starts then. */
async function chargedTo(databaseUrl: string, startsAt: number): Promise<Set<string>> {
  const engine = await openStore(databaseUrl)
  try {
    const rows = await engine.db
      .selectFrom('entry')
      .innerJoin('budget_set', 'budget_set.set_id', 'entry.budget_set')
      .innerJoin('budget_counter', 'budget_counter.id', 'budget_set.counter_id')
      .where('budget_counter.starts_at', '=', startsAt)
      .select('entry.request_id')
      .execute()
    return new Set(rows.map((row) => row.request_id))
  } finally {
    await engine.close()
  }
}

async function run(owner: Owner, redis: TestRedis | undefined): Promise<void> {
  const upstream = startChaosUpstream({ pauseMs: () => 0, usage: () => usage })
  const midnightMs = (Math.floor(Date.now() / dayMs) + 2) * dayMs
  const clocks: SettableClock[] = []
  const prepare = async (databaseUrl: string): Promise<void> => {
    const clock = await giveSettableClock(databaseUrl)
    clocks.push(clock)
    stops.push(() => clock.close())
    await clock.set(midnightMs - dayMs / 2)
  }
  // The rate limits are too high to refuse a request. They only add their work.
  const limits = redis ? { requestsPerMinute: 10_000, concurrentRequests: 1_000 } : {}
  const settings = redis ? { limits: redis.url, limitsFallback: 'refuse' } : {}
  const { lives, open, workspace, databaseUrl } = await line(
    { processes: 3, isPostgres: true, settings, prepare },
    shopOf(owner, limits),
    upstream.url,
    body,
  )
  const [clock] = clocks
  if (!clock) throw new Error('the database has no clock')
  await clock.set(midnightMs - patience(3_000))
  const first = await sendInTurn({ open, from: 0, to: early, width: 1 })
  expect(await clock.nowMs()).toBeLessThan(midnightMs)
  await eventually('the day is almost over', async () => (await clock.nowMs()) > midnightMs - 200)
  const second = await sendInTurn({ open, from: early, to: early + across, width: atATime })
  await eventually('the next day has begun', async () => (await clock.nowMs()) >= midnightMs)
  const third = await sendInTurn({ open, from: early + across, to: requests, width: requests })
  for (const life of lives) life.signal('SIGTERM')
  for (const life of lives) expect(await life.exited).toBe(0)
  await upstream.stop()
  const replies = [...first, ...second, ...third]
  expect(replies).toHaveLength(requests)
  const admitted = replies.filter(({ status }) => status === 200)
  const days = await readDays(databaseUrl)
  const spent = days.map((day) => Number(day.spent_nano / costNano))
  process.stdout.write(
    `FIGURES: the race at the reset, ${owner}${redis ? ' with Redis' : ''}: ${spent.join(' and ')} of ${requests} admitted\n`,
  )
  expect(first.map(({ status }) => status)).toEqual(first.map(() => 200))
  expect(oddReplies(replies)).toEqual([])
  expect(days.map((day) => day.starts_at)).toEqual([midnightMs - dayMs, midnightMs])
  const [before = 0, after = 0] = spent
  expect(before).toBeGreaterThanOrEqual(early)
  expect(before).toBeLessThanOrEqual(affordable)
  expect(after).toBe(affordable)
  expect(admitted).toHaveLength(before + after)
  expect(upstream.asked).toHaveLength(before + after)
  for (const day of days) expect(day.spent_nano + day.available_nano).toBe(day.limit_nano)
  for (const day of days) expect(day.spent_nano % costNano).toBe(0n)
  // Requests after the reset never use the remaining budget of the day before.
  const firstDay = await chargedTo(databaseUrl, midnightMs - dayMs)
  expect(firstDay.size).toBe(before)
  expect(third.filter(({ requestId }) => firstDay.has(requestId))).toEqual([])
  const ledger = await readChaosLedger(databaseUrl)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.leases).toBe(0)
  expect([...ledger.entries.keys()].toSorted()).toEqual(
    admitted.map(({ requestId }) => requestId).toSorted(),
  )
  expect(journalFiles(workspace.path('data'))).toEqual([])
}

const races: readonly { readonly owner: Owner; readonly hasRedis: boolean }[] = [
  { owner: 'key', hasRedis: false },
  { owner: 'key', hasRedis: true },
  { owner: 'member', hasRedis: false },
  { owner: 'account', hasRedis: true },
]

describe(`${requests} requests to three processes while a day ends, and a budget for ${affordable} a day`, () => {
  for (const { owner, hasRedis } of races) {
    const name = `the budget of the ${owner}${hasRedis ? ', rate limits on Redis' : ''}`
    if (postgresServerUrl(`chaos: ${name} at its reset`) === undefined) continue
    const path = hasRedis ? redisPath(`chaos: ${name} at its reset`) : undefined
    if (hasRedis && path === undefined) continue
    test(
      `${name}: never one more in either day`,
      async () => {
        const redis = path === undefined ? undefined : await startRedis(path)
        if (redis) stops.push(() => redis.stop())
        await run(owner, redis)
      },
      timeoutMs,
    )
  }
})
