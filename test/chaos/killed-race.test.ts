import { afterAll, describe, expect, test } from 'bun:test'
import { openStore } from '../../src/store/open-store.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { openCall, type RawReply } from './ask-raw.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { endLivesAfterwards, startLife } from './gateway-life.ts'
import {
  body,
  costNano,
  dropRaceDatabases,
  line,
  oddReplies,
  requests,
  usage,
} from './race-line.ts'
import { type Race, shopOfRace } from './race-list.ts'

endLivesAfterwards()
afterAll(dropRaceDatabases)

const timeoutMs = patience(120_000)
const affordable = 20
const race: Race = {
  id: 'killed',
  name: 'every budget is short',
  limit: 'every budget',
  affordable,
  eachNano: costNano,
  usage,
  kind: 'exact',
  isHeld: false,
  isStream: false,
}

interface Row {
  readonly when: string
  /** The process is killed when the upstream has this many requests. */
  readonly asked: number
  /** The upstream answers nobody before the kill. */
  readonly isHeld: boolean
}
const rows: readonly Row[] = [
  { when: 'while all of the budget is held', asked: affordable, isHeld: true },
  { when: 'while requests are answered', asked: affordable / 2, isHeld: false },
]

async function readCounters(databaseUrl: string) {
  const engine = await openStore(databaseUrl)
  try {
    const columns = ['spent_nano', 'available_nano', 'limit_nano'] as const
    return await engine.db.selectFrom('budget_counter').select(columns).execute()
  } finally {
    await engine.close()
  }
}

async function run({ asked, isHeld }: Row): Promise<void> {
  const gate = Promise.withResolvers<void>()
  if (!isHeld) gate.resolve()
  const upstream = startChaosUpstream({
    pauseMs: () => (isHeld ? 0 : 3),
    usage: () => usage,
    gate: () => gate.promise,
  })
  const shop = shopOfRace(race)
  const day = { processes: 3, isPostgres: true }
  const { lives, openAll, workspace, databaseUrl } = await line(day, shop, upstream.url, body)
  const calls = await openAll()
  const first = Promise.all(calls.map(({ send }) => send()))
  await eventually('enough requests are admitted', () => upstream.asked.length >= asked)
  const [killed, ...others] = lives
  if (!killed) throw new Error('no process runs')
  killed.signal('SIGKILL')
  await killed.exited
  gate.resolve()
  const replies = await first

  // The same replica again, which charges what its former process had admitted, and gives the rest back.
  const again = await startLife(workspace, ['--replica', 'node-0'], { isPatient: true })
  const living = [again, ...others]
  const urls = await Promise.all(living.map((life) => life.ready))
  const value = shop.keys[0]?.value ?? ''
  const more = await Promise.all(
    Array.from({ length: requests }, (_, index) => openCall(urls[index % 3] ?? '', value, body)),
  )
  const later = await Promise.all(more.map(({ send }) => send()))
  for (const life of living) life.signal('SIGTERM')
  for (const life of living) expect(await life.exited).toBe(0)
  await upstream.stop()

  // A process that was killed answers nothing; every other reply is an answer or a refusal for lack of money.
  expect(oddReplies([...replies.filter(({ status }) => status !== 0), ...later])).toEqual([])
  const ledger = await readChaosLedger(databaseUrl)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.leases).toBe(0)
  expect(journalFiles(workspace.path('data'))).toEqual([])
  const entries = [...ledger.entries.values()]
  const spentNano = entries.reduce((sum, entry) => sum + entry.costNano, 0n)
  const counters = await readCounters(databaseUrl)
  expect(counters).toHaveLength(3)
  for (const counter of counters) {
    expect(counter.spent_nano).toBe(spentNano)
    expect(counter.limit_nano).toBe(costNano * BigInt(affordable))
    expect(counter.spent_nano + counter.available_nano).toBe(counter.limit_nano)
    // What the killed process did not use has come back, and others have spent it.
    expect(counter.available_nano).toBeGreaterThanOrEqual(0n)
    expect(counter.available_nano).toBeLessThan(costNano)
  }
  const paid = entries.filter(({ source }) => source === 'upstream')
  for (const entry of paid) expect(entry.costNano).toBeLessThanOrEqual(costNano)
  // The last money of a budget pays for a shorter answer.
  const full = paid.filter((entry) => entry.costNano === costNano)
  expect(full.length).toBeGreaterThanOrEqual(paid.length - 1)
  expectEachChargedOnce([...replies, ...later], ledger.entries)
  const recovered = entries.length - paid.length
  process.stdout.write(
    `FIGURES: the race with a killed process, ${asked} asked${isHeld ? ' and held' : ''}: ` +
      `${paid.length} paid in full, ${recovered} recovered, ${upstream.asked.length} asked\n`,
  )
}

function expectEachChargedOnce(
  replies: readonly RawReply[],
  entries: ReadonlyMap<string, unknown>,
): void {
  const answered = replies.filter(({ status }) => status === 200)
  for (const { requestId } of answered) expect(entries.has(requestId)).toBe(true)
  const refused = replies.filter(({ status }) => status === 403)
  for (const { requestId } of refused) expect(entries.has(requestId)).toBe(false)
}

describe(`${requests} requests to three processes, one of which is killed, and budgets for ${affordable}`, () => {
  for (const row of rows) {
    if (postgresServerUrl(`chaos: a process is killed ${row.when}`) === undefined) continue
    test(
      `killed ${row.when}: no nano more is spent, and what was held comes back`,
      () => run(row),
      timeoutMs,
    )
  }
})
