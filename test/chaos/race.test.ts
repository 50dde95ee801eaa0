import { afterAll, describe, expect, test } from 'bun:test'
import { makeWorkspace, removeWorkspacesAfterwards } from '../process/workspace.ts'
import { patience } from '../support/patience.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { openCall, type RawReply } from './ask-raw.ts'
import { journalFiles, readChaosBooks } from './chaos-books.ts'
import { between, chaosSeed, seededRandom } from './chaos-seed.ts'
import {
  chaosConfig,
  chaosKey,
  inputNano,
  numberedBody,
  outputNano,
  outputTokensMax,
} from './chaos-shop.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { endLivesAfterwards, type GatewayLife, startLife } from './gateway-life.ts'

endLivesAfterwards()
removeWorkspacesAfterwards()

const timeoutMs = patience(120_000)
const requests = 500
const framingTokens = 512
const nanoPerDollar = 1_000_000_000
const body = JSON.stringify(numberedBody(1, false))

/** The upstream reports all that a request may use, so every hold is used up to its last nano. */
const usage = {
  prompt_tokens: body.length + framingTokens,
  completion_tokens: outputTokensMax,
  total_tokens: body.length + framingTokens + outputTokensMax,
}
const costNano =
  BigInt(usage.prompt_tokens) * inputNano + BigInt(usage.completion_tokens) * outputNano

const drops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const drop of drops) await drop()
})

interface Race {
  readonly part: number
  readonly name: string
  readonly processes: number
  readonly isPostgres: boolean
  /** Where the money for exactly so many requests is: on the account, or in the quota of the key. */
  readonly limit: 'credit' | 'quota'
  /** Nobody is answered before everybody is decided on: all that was admitted is held at the same time. */
  readonly isHeld: boolean
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
    name: 'three processes on one Postgres, the quota is short, answers come last',
    processes: 3,
    isPostgres: true,
    limit: 'quota',
    isHeld: true,
  },
  {
    part: 13,
    name: 'two processes on one SQLite file, the credit is short, answers come last',
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

function raceShop(limit: Race['limit'], affordable: number) {
  const dollars = Number(costNano * BigInt(affordable)) / nanoPerDollar
  const key = limit === 'quota' ? chaosKey('k1', 'acme', dollars) : chaosKey('k1', 'acme')
  const accounts = [{ id: 'acme', creditDollars: limit === 'credit' ? dollars : 1_000 }]
  return { key, shop: { accounts, keys: [key] } }
}

async function run(race: Race): Promise<void> {
  const affordable = between(seededRandom(race.part), 60, 300)
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
  const database = race.isPostgres ? await freshDatabase() : undefined
  if (database) drops.push(() => database.drop())
  const { key, shop } = raceShop(race.limit, affordable)
  const workspace = makeWorkspace(chaosConfig(shop, upstream.url, database?.url))
  const lives = await Promise.all(
    Array.from({ length: race.processes }, (_, index) =>
      startLife(workspace, ['--replica', `node-${index}`]),
    ),
  )
  const urls = await Promise.all(lives.map(servingUrl))
  const calls = await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      openCall(urls[index % urls.length] as string, key.value, body),
    ),
  )
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
  const databaseUrl = database?.url ?? `sqlite://${workspace.path('data/tollgate.db')}`
  const admitted = replies.filter(({ status }) => status === 200)
  process.stdout.write(
    `FIGURES: the race, ${race.name}: money for ${affordable} of ${requests}, ${admitted.length} admitted, ` +
      `${Math.round(tookMs)} ms, seed ${chaosSeed}\n`,
  )
  await expectExactly(affordable, replies, databaseUrl, race.limit)
  expect(upstream.asked).toHaveLength(affordable)
  expect(journalFiles(workspace.path('data'))).toEqual([])
}

/** One that died says why. */
async function servingUrl(life: GatewayLife): Promise<string> {
  const url = await life.ready
  if (url === undefined)
    throw new Error(`a process ended with ${await life.exited} before it served: ${life.stderr()}`)
  return url
}

async function expectExactly(
  affordable: number,
  replies: readonly RawReply[],
  databaseUrl: string,
  limit: Race['limit'],
): Promise<void> {
  const admitted = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status !== 200)
  const words = /"code":"(insufficient_credit|key_quota_exhausted|quota_in_flight)"/
  expect(refused.filter(({ text }) => !words.test(text))).toEqual([])
  expect(admitted).toHaveLength(affordable)
  const books = await readChaosBooks(databaseUrl)
  expect(books.imbalances).toEqual([])
  expect(books.leases).toBe(0)
  expect([...books.entries.keys()].toSorted()).toEqual(
    admitted.map(({ requestId }) => requestId).toSorted(),
  )
  for (const entry of books.entries.values())
    expect(entry).toEqual({ source: 'upstream', costNano })
  // To the last nano.
  expect(books.leastNano).toBe(0n)
  const word = limit === 'quota' ? 'quota' : 'credit'
  expect(refused.some(({ text }) => text.includes(word))).toBe(true)
}

describe('500 at once, and money for exactly some of them', () => {
  for (const race of races) {
    const name = `chaos: the race of ${race.name}`
    if (race.isPostgres && postgresServerUrl(name) === undefined) continue
    test(`${race.name}: exactly those are admitted`, () => run(race), timeoutMs)
  }
})
