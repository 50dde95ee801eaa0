import { afterAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { askShop } from '../support/process/shop.ts'
import { makeWorkspace } from '../support/process/workspace.ts'
import { type Callers, startCallers } from './callers.ts'
import { journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { seededRandom } from './chaos-seed.ts'
import { type ChaosKey, chaosConfig, chaosKey, numberedBody } from './chaos-shop.ts'
import { startChaosUpstream } from './chaos-upstream.ts'
import { cleanVerdict, compareLedger } from './compare-ledger.ts'
import { endLivesAfterwards, startLife } from './gateway-life.ts'
import { mergeSeen } from './merge-seen.ts'
import { type OwnPair, startOwnPair } from './own-postgres.ts'

endLivesAfterwards()

const name = 'chaos: failover of Postgres'
const timeoutMs = patience(120_000)
const callersEach = 8
const betweenMs = 40

const cold = ['c1', 'c2', 'c3'].map((id) => chaosKey(id, 'bolt'))
const warm = ['w1', 'w2', 'w3'].map((id) => chaosKey(id, 'acme'))
const shop = {
  accounts: [
    { id: 'acme', creditDollars: 2_000 },
    { id: 'bolt', creditDollars: 1_000 },
  ],
  keys: [...warm, ...cold],
}

/** How the standby replicates, and what a failover may lose. */
interface Following {
  readonly name: string
  readonly isSynchronous: boolean
}

const followings: readonly Following[] = [
  {
    name: 'with a synchronous standby nothing is lost or doubled',
    isSynchronous: true,
  },
  {
    name: 'with a standby that is behind, the charges that it lacks are lost, and the ledger balances',
    isSynchronous: false,
  },
]

const pairs: OwnPair[] = []
afterAll(async () => {
  for (const { primary, standby } of pairs) {
    await primary.remove()
    await standby.remove()
  }
}, timeoutMs)

async function runOn(url: string, ...statements: string[]): Promise<unknown[]> {
  const server = new SQL(url, { max: 1 })
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = await server.unsafe(statement)
    return rows
  } finally {
    await server.close({ timeout: 0 })
  }
}

/** A synchronous standby has every commit before the client gets the answer. */
async function follow({ primary }: OwnPair, isSynchronous: boolean): Promise<void> {
  const names = isSynchronous ? '*' : ''
  await runOn(
    primary.url,
    `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
    'SELECT pg_reload_conf()',
  )
  const state = isSynchronous ? 'sync' : 'async'
  await eventually('the standby follows', async () => {
    const rows = await runOn(primary.url, 'SELECT sync_state FROM pg_stat_replication')
    return JSON.stringify(rows) === JSON.stringify([{ sync_state: state }])
  })
}

async function stopFollowing({ primary, standby }: OwnPair): Promise<void> {
  await runOn(standby.url, "ALTER SYSTEM SET primary_conninfo = ''", 'SELECT pg_reload_conf()')
  await eventually('the standby follows no more', async () => {
    const rows = await runOn(primary.url, 'SELECT 1 FROM pg_stat_replication')
    return rows.length === 0
  })
}

async function answers({ seen }: Callers, count: number): Promise<void> {
  const wanted = seen.whole.size + count
  await eventually(`${count} more answers`, () => seen.whole.size >= wanted)
}

/** A key without a lease needs the database. */
async function isServed(url: string, key: ChaosKey | undefined, { seen }: Callers): Promise<void> {
  await eventually('a key without a lease is served', async () => {
    seen.sent += 1
    const response = await askShop(url, { key: key?.value ?? '', body: numberedBody(0, false) })
    await response.text()
    return response.status === 200
  })
}

/** The database of one server, with both hosts in its URL, as an operator writes it. */
function withBothHosts(databaseUrl: string, { primary, standby }: OwnPair): string {
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
  const url = new URL(databaseUrl)
  return `${databaseUrl.replace(url.host, hosts)}?target_session_attrs=read-write`
}

async function failOver(both: OwnPair, { isSynchronous }: Following): Promise<void> {
  const { primary, standby } = both
  const upstream = startChaosUpstream()
  await follow(both, isSynchronous)
  const database = await freshDatabase({ serverUrl: primary.url })
  const workspace = makeWorkspace(
    chaosConfig(shop, upstream.url, withBothHosts(database.url, both)),
  )
  const start = (replica: string) => startLife(workspace, ['--replica', replica])
  const lives = await Promise.all([start('node-a'), start('node-b')])
  const urls = await Promise.all(lives.map(async ({ ready }) => (await ready) ?? ''))
  const callers = urls.map((url, index) => {
    const each = startCallers({
      count: callersEach,
      keySets: warm.map((key) => [key]),
      random: seededRandom(40 + index),
      leavesOneIn: 20,
      betweenMs,
    })
    each.turnTo(url)
    return each
  })
  const [first, second] = callers as [Callers, Callers]
  await Promise.all(callers.map((each) => answers(each, 100)))

  if (!isSynchronous) {
    await stopFollowing(both)
    await Promise.all(callers.map((each) => answers(each, 100)))
    await eventually('the shipper has delivered', async () => {
      const url = Object.assign(new URL(primary.url), { pathname: `/${database.name}` }).href
      const [row] = (await runOn(url, 'SELECT COUNT(*)::INT AS count FROM entry')) as {
        count: number
      }[]
      return (row?.count ?? 0) > 300
    })
  }
  await primary.kill()
  // Keys with a lease are served while no server accepts writes.
  await Promise.all(callers.map((each) => answers(each, 30)))
  await runOn(standby.url, 'SELECT pg_promote()')
  const early = new Set(callers.flatMap(({ seen }) => [...seen.whole.keys(), ...seen.begun]))
  await isServed(urls[0] ?? '', cold[0], first)
  await isServed(urls[1] ?? '', cold[1], second)
  await Promise.all(callers.map((each) => answers(each, 30)))

  // The former primary comes back and acts as a primary. No gateway may write to it.
  await primary.startAgain()
  first.turnTo(undefined)
  lives[0]?.signal('SIGTERM')
  expect(await lives[0]?.exited).toBe(0)
  lives[0] = await start('node-a')
  const again = (await lives[0].ready) ?? ''
  first.turnTo(again)
  await isServed(again, cold[2], first)

  for (const each of callers) each.turnTo(undefined)
  await Promise.all(callers.map((each) => each.stop()))
  for (const life of lives) life.signal('SIGTERM')
  for (const life of lives) expect(await life.exited).toBe(0)
  await upstream.stop()
  const ledger = await readChaosLedger(
    Object.assign(new URL(standby.url), { pathname: `/${database.name}` }).href,
  )
  const seen = mergeSeen(callers.map((each) => each.seen))
  // Requests that arrive after the signal to stop are refused before they are logged.
  const refused = new Map([...seen.refused].filter(([, status]) => status !== 503))
  const verdict = compareLedger(ledger, { ...seen, refused }, upstream.asked)
  if (isSynchronous) {
    expect(verdict).toEqual(cleanVerdict)
    expect(ledger.leases).toBe(0)
  } else {
    // Leases whose return was lost come back when they expire.
    expect(verdict.lost.length).toBeGreaterThan(0)
    expect(verdict.lost.filter((id) => !early.has(id))).toEqual([])
    const { lost, unlogged, unpaid } = cleanVerdict
    expect({ ...verdict, lost, unlogged, unpaid }).toEqual(cleanVerdict)
  }
  expect(journalFiles(workspace.path('data'))).toEqual([])
}

describe('failover of Postgres under load, both hosts in the URL', () => {
  for (const following of followings) {
    test(
      following.name,
      async () => {
        const pair = await startOwnPair(name)
        if (!pair) return
        pairs.push(pair)
        await failOver(pair, following)
      },
      timeoutMs,
    )
  }
})
