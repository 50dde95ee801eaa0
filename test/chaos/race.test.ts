import { afterAll, describe, expect, test } from 'bun:test'
import { patience } from '../support/patience.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { removeWorkspacesAfterwards } from '../support/process/workspace.ts'
import type { RawReply } from './ask-raw.ts'
import { type ChaosLedger, journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { chaosSeed } from './chaos-seed.ts'
import { numberedBody } from './chaos-shop.ts'
import { startChaosUpstream, type UpstreamManner } from './chaos-upstream.ts'
import { endLivesAfterwards } from './gateway-life.ts'
import { body, dropRaceDatabases, line, oddReplies, requests, usage } from './race-line.ts'
import { type Race, type RaceDay, raceDays, shopOfRace } from './race-list.ts'

endLivesAfterwards()
removeWorkspacesAfterwards()
afterAll(dropRaceDatabases)

const timeoutMs = patience(120_000)

/** The processes and the upstream of a day, and what each race has admitted so far. */
interface Started {
  readonly line: Awaited<ReturnType<typeof line>>
  readonly upstream: ReturnType<typeof startChaosUpstream>
  /** How the upstream behaves in the present race. */
  manner: Pick<UpstreamManner, 'pauseMs' | 'usage' | 'gate' | 'onAsked'>
  readonly admitted: Map<Race, readonly RawReply[]>
}

async function startDay(day: RaceDay): Promise<Started> {
  const upstream = startChaosUpstream({
    pauseMs: (number) => started.manner.pauseMs(number),
    usage: (number) => started.manner.usage(number),
    gate: async () => started.manner.gate?.(),
    onAsked: () => started.manner.onAsked?.(),
  })
  const shops = day.races.map(shopOfRace)
  const shop = {
    accounts: shops.flatMap(({ accounts }) => accounts),
    keys: shops.flatMap(({ keys }) => keys),
    users: shops.flatMap(({ users = [] }) => users),
  }
  const started: Started = {
    line: await line(day, shop, upstream.url, body),
    upstream,
    manner: { pauseMs: () => 0, usage: () => usage },
    admitted: new Map(),
  }
  return started
}

async function run(day: RaceDay, race: Race, started: Started): Promise<void> {
  const gate = Promise.withResolvers<void>()
  let decided = 0
  const decide = (): void => {
    decided += 1
    if (decided === requests) gate.resolve()
  }
  started.manner = {
    pauseMs: () => (race.kind === 'exact' ? 0 : 20),
    usage: () => race.usage,
    ...(race.isHeld ? { gate: () => gate.promise } : {}),
    onAsked: decide,
  }
  const askedBefore = started.upstream.asked.length
  const text = race.kind === 'exact' ? body : JSON.stringify(numberedBody(1, race.isStream))
  const calls = await started.line.openAll(shopOfRace(race).keys, text)
  const beganMs = performance.now()
  const replies = await Promise.all(
    calls.map(async ({ send }) => {
      const reply = await send()
      if (reply.status !== 200) decide()
      return reply
    }),
  )
  const tookMs = performance.now() - beganMs
  const admitted = replies.filter(({ status }) => status === 200)
  started.admitted.set(race, admitted)
  process.stdout.write(
    `FIGURES: the race, ${day.name}, ${race.kind}, ${race.name}: money for ${race.affordable} of ${requests}, ` +
      `${admitted.length} admitted, ${Math.round(tookMs)} ms, seed ${chaosSeed}\n`,
  )
  const asked = started.upstream.asked.length - askedBefore
  expectReplies(race, replies, asked)
}

const words = {
  credit: 'credit',
  quota: 'quota',
  'key day': 'daily budget',
  'member week': 'weekly budget',
  'account month': 'account_budget_exhausted',
  'every budget': 'budget',
} as const

function expectReplies(race: Race, replies: readonly RawReply[], asked: number): void {
  const { kind, limit, affordable, isHeld } = race
  const admitted = replies.filter(({ status }) => status === 200)
  if (kind === 'lying') {
    expect(admitted.length).toBeGreaterThan(0)
    return
  }
  if (kind === 'wide') {
    expect(admitted.length).toBeGreaterThanOrEqual(affordable - 1)
    expect(admitted.length).toBeLessThanOrEqual(affordable)
    return
  }
  expect(oddReplies(replies)).toEqual([])
  expect(admitted).toHaveLength(affordable)
  expect(asked).toBe(affordable)
  // While requests in flight hold the rest of a budget, the rest may come back.
  const word = isHeld && limit.includes(' ') ? 'quota_in_flight' : words[limit]
  const refused = replies.filter(({ status }) => status !== 200)
  expect(refused.some(({ text }) => text.includes(word))).toBe(true)
}

function expectCharges(race: Race, admitted: readonly RawReply[], ledger: ChaosLedger): void {
  const { kind, affordable, eachNano } = race
  const entries = admitted.map(({ requestId }) => ledger.entries.get(requestId))
  if (kind === 'lying') {
    const spentNano = entries.reduce((sum, entry) => sum + (entry?.costNano ?? 0n), 0n)
    expect(spentNano).toBe(eachNano * BigInt(affordable))
    return
  }
  for (const entry of entries) expect(entry).toEqual({ source: 'upstream', costNano: eachNano })
}

const results = {
  exact: 'exactly those are admitted',
  wide: 'all of these or all but one are admitted, never one more',
  lying: 'an upstream that reports more than its model can use is paid no more than there is',
} as const

for (const day of raceDays) {
  const name = `chaos: the races of ${day.name}`
  if (day.isPostgres && postgresServerUrl(name) === undefined) continue
  describe(`${requests} requests at once, money for some of them, ${day.name}`, () => {
    let isStarted: Promise<Started> | undefined
    const start = (): Promise<Started> => {
      isStarted ??= startDay(day)
      return isStarted
    }

    for (const race of day.races) {
      test(
        `${race.name}: money for ${race.affordable}, ${results[race.kind]}`,
        async () => run(day, race, await start()),
        timeoutMs,
      )
    }

    test(
      'after a stop the ledger has each admitted request once, to the last nano, and no lease is left',
      async () => {
        const { line, upstream, admitted } = await start()
        for (const life of line.lives) life.signal('SIGTERM')
        for (const life of line.lives) expect(await life.exited).toBe(0)
        await upstream.stop()
        const ledger = await readChaosLedger(line.databaseUrl)
        expect(ledger.imbalances).toEqual([])
        expect(ledger.leases).toBe(0)
        expect(ledger.leastNano).toBe(0n)
        const all = [...admitted.values()].flat()
        expect([...ledger.entries.keys()].toSorted()).toEqual(
          all.map(({ requestId }) => requestId).toSorted(),
        )
        for (const [race, replies] of admitted) expectCharges(race, replies, ledger)
        expect(journalFiles(line.workspace.path('data'))).toEqual([])
      },
      timeoutMs,
    )
  })
}
