import { afterAll, describe, expect, test } from 'bun:test'
import { patience } from '../support/patience.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import type { RawReply } from './ask-raw.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { between, chaosSeed, seededRandom } from './chaos-seed.ts'
import {
  type ChaosShop,
  chaosKey,
  inputNano,
  numberedBody,
  outputNano,
  outputTokensMax,
} from './chaos-shop.ts'
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
afterAll(dropRaceDatabases)

const timeoutMs = patience(120_000)
interface Race {
  readonly part: number
  readonly name: string
  readonly processes: number
  readonly isPostgres: boolean
  /**
   * The limit that covers exactly this many requests: the credit of the account, the quota of the key, or a budget of
   * either.
   */
  readonly limit: 'credit' | 'quota' | 'key day' | 'member week' | 'account month'
  /** The upstream answers only after every request was admitted or refused, so all holds exist at the same time. */
  readonly isHeld: boolean
}

/** Holds exceed the cost, as usual, so the unused part of one hold can pay for another request. */
interface WideRace {
  readonly name: string
  readonly processes: number
  readonly isPostgres: boolean
  readonly limit: 'credit' | 'quota'
  readonly isStream: boolean
}

const races: readonly Race[] = [
  {
    part: 11,
    name: 'three processes on one Postgres, the credit is short',
    processes: 3,
    isPostgres: true,
    limit: 'credit',
    isHeld: false,
  },
  {
    part: 12,
    name: 'three processes on one Postgres, the quota is short, all responses come after the last request',
    processes: 3,
    isPostgres: true,
    limit: 'quota',
    isHeld: true,
  },
  {
    part: 13,
    name: 'two processes on one SQLite file, the credit is short, all responses come after the last request',
    processes: 2,
    isPostgres: false,
    limit: 'credit',
    isHeld: true,
  },
  {
    part: 14,
    name: 'two processes on one SQLite file, the quota is short',
    processes: 2,
    isPostgres: false,
    limit: 'quota',
    isHeld: false,
  },
]

const budgetRaces: readonly Race[] = [
  {
    part: 15,
    name: 'three processes on one Postgres, the daily budget of the key is short',
    processes: 3,
    isPostgres: true,
    limit: 'key day',
    isHeld: false,
  },
  {
    part: 16,
    name: 'three processes on one Postgres, the monthly budget of the account is short, answers come last',
    processes: 3,
    isPostgres: true,
    limit: 'account month',
    isHeld: true,
  },
  {
    part: 17,
    name: 'two processes on one SQLite file, the daily budget of the key is short',
    processes: 2,
    isPostgres: false,
    limit: 'key day',
    isHeld: true,
  },
  {
    part: 18,
    name: 'three processes on one Postgres, the weekly budget of a member with several keys is short',
    processes: 3,
    isPostgres: true,
    limit: 'member week',
    isHeld: false,
  },
  {
    part: 19,
    name: 'two processes on one SQLite file, the weekly budget of a member is short, answers come last',
    processes: 2,
    isPostgres: false,
    limit: 'member week',
    isHeld: true,
  },
]
const budgetAffordable = 20

/** A time zone in which it is about noon, so that no period ends during a race. */
function noonZone(): string {
  const hours = new Date().getUTCHours() - 12
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '+' : ''}${hours}`
}

const wideRaces: readonly WideRace[] = [
  {
    name: 'one process on SQLite, the credit is short',
    processes: 1,
    isPostgres: false,
    limit: 'credit',
    isStream: false,
  },
  {
    name: 'one process on SQLite, the quota is short, streams',
    processes: 1,
    isPostgres: false,
    limit: 'quota',
    isStream: true,
  },
  {
    name: 'three processes on one Postgres, the credit is short',
    processes: 3,
    isPostgres: true,
    limit: 'credit',
    isStream: false,
  },
  {
    name: 'three processes on one Postgres, the quota is short, streams',
    processes: 3,
    isPostgres: true,
    limit: 'quota',
    isStream: true,
  },
]

/** A short prompt with an answer of the requested length. */
const trueUsage = {
  prompt_tokens: 20,
  completion_tokens: outputTokensMax,
  total_tokens: 20 + outputTokensMax,
}
/** More than the model can use, and more than was requested. */
const lyingUsage = {
  prompt_tokens: 9_000_000,
  completion_tokens: 4_096,
  total_tokens: 9_004_096,
}
const wideAffordable = 20

type Usage = typeof trueUsage

function nanoOf(used: Usage): bigint {
  return BigInt(used.prompt_tokens) * inputNano + BigInt(used.completion_tokens) * outputNano
}

function raceShop(
  limit: Race['limit'],
  affordable: number,
  eachNano: bigint = costNano,
): ChaosShop {
  const dollars = Number(eachNano * BigInt(affordable)) / nanoPerDollar
  const plain = limit === 'quota' ? chaosKey('k1', 'acme', dollars) : chaosKey('k1', 'acme')
  // The budget month began in the middle of the last month, or begins in the middle of the next.
  const budgetMonthDay = new Date().getUTCDate() > 15 ? 5 : 25
  const calendar = { budgetZone: noonZone(), budgetMonthDay }
  const key = limit === 'key day' ? { ...plain, budgets: { daily: dollars, ...calendar } } : plain
  const account = { id: 'acme', creditDollars: limit === 'credit' ? dollars : 1_000 }
  const budgets = limit === 'account month' ? { monthly: dollars, ...calendar } : {}
  const accounts = [{ ...account, budgets }]
  if (limit !== 'member week') return { accounts, keys: [key] }
  const owner = 'someone@example.com'
  const membership = { id: 'acme', role: 'member', weekly: dollars, budgetZone: noonZone() }
  const keys = ['k1', 'k2', 'k3', 'k4', 'k5'].map((id) => ({ ...chaosKey(id, 'acme'), owner }))
  return { accounts, keys, users: [{ email: owner, accounts: [membership] }] }
}

async function run(race: Race, affordable: number): Promise<void> {
  const gate = Promise.withResolvers<void>()
  let decided = 0
  const decide = (): void => {
    decided += 1
    if (decided === requests) gate.resolve()
  }
  const upstream = startChaosUpstream({
    pauseMs: () => 0,
    usage: () => usage,
    ...(race.isHeld ? { gate: () => gate.promise } : {}),
    onAsked: decide,
  })
  const shop = raceShop(race.limit, affordable)
  const { lives, openAll, workspace, databaseUrl } = await line(race, shop, upstream.url, body)
  const calls = await openAll()
  const beganMs = performance.now()
  const replies = await Promise.all(
    calls.map(async ({ send }) => {
      const reply = await send()
      if (reply.status !== 200) decide()
      return reply
    }),
  )
  const tookMs = performance.now() - beganMs
  for (const life of lives) life.signal('SIGTERM')
  for (const life of lives) expect(await life.exited).toBe(0)
  await upstream.stop()
  const admitted = replies.filter(({ status }) => status === 200)
  process.stdout.write(
    `FIGURES: the race, ${race.name}: money for ${affordable} of ${requests}, ${admitted.length} admitted, ` +
      `${Math.round(tookMs)} ms, seed ${chaosSeed}\n`,
  )
  await expectExactly(affordable, replies, databaseUrl, race)
  expect(upstream.asked).toHaveLength(affordable)
  expect(journalFiles(workspace.path('data'))).toEqual([])
}

/** Sends all requests at once; the upstream reports the given usage. */
async function runWide(race: WideRace, used: Usage) {
  const upstream = startChaosUpstream({ pauseMs: () => 20, usage: () => used })
  const shop = raceShop(race.limit, wideAffordable, nanoOf(trueUsage))
  const text = JSON.stringify(numberedBody(1, race.isStream))
  const { lives, openAll, databaseUrl } = await line(race, shop, upstream.url, text)
  const calls = await openAll()
  const beganMs = performance.now()
  const replies = await Promise.all(calls.map(({ send }) => send()))
  const tookMs = performance.now() - beganMs
  for (const life of lives) life.signal('SIGTERM')
  for (const life of lives) expect(await life.exited).toBe(0)
  await upstream.stop()
  const admitted = replies.filter(({ status }) => status === 200)
  process.stdout.write(
    `FIGURES: the race for wide holds, ${race.name}: money for ${wideAffordable} of ${requests}, ` +
      `${admitted.length} admitted, ${Math.round(tookMs)} ms\n`,
  )
  const ledger = await readChaosLedger(databaseUrl)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.leases).toBe(0)
  expect(ledger.leastNano).toBeGreaterThanOrEqual(0n)
  expect(ledger.entries.size).toBe(admitted.length)
  return { admitted, ledger }
}

const words = {
  credit: 'credit',
  quota: 'quota',
  'key day': 'daily budget',
  'member week': 'weekly budget',
  'account month': 'account_budget_exhausted',
} as const

async function expectExactly(
  affordable: number,
  replies: readonly RawReply[],
  databaseUrl: string,
  { limit, isHeld }: Race,
): Promise<void> {
  const admitted = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status !== 200)
  expect(oddReplies(replies)).toEqual([])
  expect(admitted).toHaveLength(affordable)
  const ledger = await readChaosLedger(databaseUrl)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.leases).toBe(0)
  expect([...ledger.entries.keys()].toSorted()).toEqual(
    admitted.map(({ requestId }) => requestId).toSorted(),
  )
  for (const entry of ledger.entries.values())
    expect(entry).toEqual({ source: 'upstream', costNano })
  // The money is used up to the last nano.
  expect(ledger.leastNano).toBe(0n)
  // While requests in flight hold the rest of a budget, the rest may come back.
  const word = isHeld && limit.includes(' ') ? 'quota_in_flight' : words[limit]
  expect(refused.some(({ text }) => text.includes(word))).toBe(true)
}

describe(`${requests} requests at once, money for exactly ${wideAffordable}, and holds above the cost`, () => {
  for (const race of wideRaces) {
    const name = `chaos: the wide race of ${race.name}`
    if (race.isPostgres && postgresServerUrl(name) === undefined) continue
    test(
      `${race.name}: all of these or all but one are admitted, never one more`,
      async () => {
        const { admitted, ledger } = await runWide(race, trueUsage)
        expect(admitted.length).toBeGreaterThanOrEqual(wideAffordable - 1)
        expect(admitted.length).toBeLessThanOrEqual(wideAffordable)
        for (const { costNano: chargedNano } of ledger.entries.values())
          expect(chargedNano).toBe(nanoOf(trueUsage))
      },
      timeoutMs,
    )
    test(
      `${race.name}: an upstream that reports more than its model can use is paid no more than the available money`,
      async () => {
        const { admitted, ledger } = await runWide(race, lyingUsage)
        expect(admitted.length).toBeGreaterThan(0)
        const spentNano = [...ledger.entries.values()].reduce(
          (sum, each) => sum + each.costNano,
          0n,
        )
        expect(spentNano).toBe(nanoOf(trueUsage) * BigInt(wideAffordable))
      },
      timeoutMs,
    )
  }
})

describe(`${requests} requests at once, and money for exactly some of them`, () => {
  for (const race of races) {
    const name = `chaos: the race of ${race.name}`
    if (race.isPostgres && postgresServerUrl(name) === undefined) continue
    const affordable = between(seededRandom(race.part), 60, requests / 2)
    test(`${race.name}: exactly those are admitted`, () => run(race, affordable), timeoutMs)
  }

  for (const race of budgetRaces) {
    const name = `chaos: the race of ${race.name}`
    if (race.isPostgres && postgresServerUrl(name) === undefined) continue
    test(
      `${race.name}: exactly ${budgetAffordable} are admitted`,
      () => run(race, budgetAffordable),
      timeoutMs,
    )
  }
})
