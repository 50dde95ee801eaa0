import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { type LedgerState, readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const callers = 12
const perRound = 150
const stalling = 'please stall'
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

let upstream: FakeUpstream | undefined
const drops: (() => Promise<void>)[] = []
afterAll(async () => {
  await upstream?.stop()
  for (const drop of drops) await drop()
})

async function startUpstream(): Promise<FakeUpstream> {
  upstream ??= await startFakeUpstream()
  upstream.reset()
  upstream.script({}, { kind: 'lie-usage', usage })
  upstream.script({ bodyIncludes: stalling }, { kind: 'stall-before-headers' })
  return upstream
}

/** Sends requests until the gateway is dead, and records every complete answer. */
async function callUntilDead(url: string, isStream: boolean, seen: Set<string>): Promise<void> {
  for (;;) {
    try {
      const response = await askShop(url, { body: chatBody({ stream: isStream }) })
      const text = await response.text()
      const isWhole = isStream ? text.includes('[DONE]') : text.includes('"usage"')
      if (response.status !== 200 || !isWhole) continue
      seen.add(response.headers.get('x-gateway-request-id') ?? '')
    } catch {
      return
    }
  }
}

/** One life: the gateway serves, some of its requests hang, and then it is killed. */
async function liveAndDie(
  gateway: TollgateProcess,
  asked: FakeUpstream,
  completed: Set<string>,
): Promise<void> {
  const stalled = asked.requests.filter(({ body }) => body.includes(stalling)).length
  const messages = [{ role: 'user', content: stalling }]
  const hanging = [false, true].map((stream) =>
    askShop(gateway.url, { body: chatBody({ messages, stream }) }).catch(() => undefined),
  )
  const enough = completed.size + perRound
  const calling = Array.from({ length: callers }, (_, index) =>
    callUntilDead(gateway.url, index % 2 === 0, completed),
  )
  await eventually('enough requests are answered', () => completed.size >= enough)
  await eventually('two requests hang', () => {
    return asked.requests.filter(({ body }) => body.includes(stalling)).length >= stalled + 2
  })
  gateway.signal('SIGKILL')
  await gateway.exited
  await Promise.all([...calling, ...hanging])
}

function expectNothingLost(
  ledger: LedgerState,
  completed: ReadonlySet<string>,
  forwarded: number,
): void {
  expect(ledger.imbalances).toEqual([])
  const lost = [...completed].filter((id) => !ledger.entries.has(id))
  expect(lost).toEqual([])
  const unlogged = [...completed].filter((id) => ledger.rows.get(id)?.status !== 200)
  expect(unlogged).toEqual([])
  for (const id of completed) {
    expect(ledger.entries.get(id)).toEqual({ source: 'upstream', costNano: 350_000n })
  }
  // Every request that reached the upstream has an entry, including the interrupted ones.
  expect(ledger.entries.size).toBeGreaterThanOrEqual(forwarded)
  expect([...ledger.entries.keys()].filter((id) => !ledger.rows.has(id))).toEqual([])
}

async function dieThreeTimes(workspace: Workspace, databaseUrl: string): Promise<void> {
  const asked = await startUpstream()
  const completed = new Set<string>()
  const flags = ['--replica', 'node-a', '--log-level', 'warn']
  for (let life = 1; life <= 3; life += 1) {
    await liveAndDie(await startTollgate(workspace, flags), asked, completed)
  }
  const last = await startTollgate(workspace, flags)
  const ledger = await eventually('all interrupted requests are settled', async () => {
    const read = await readLedger(databaseUrl)
    return read.entries.size >= asked.requests.length ? read : undefined
  })
  expectNothingLost(ledger, completed, asked.requests.length)
  const recovered = [...ledger.entries.values()].filter(({ source }) => source === 'recovered')
  expect(recovered.length).toBeGreaterThanOrEqual(6)
  for (const { costNano } of recovered) expect(costNano).toBeGreaterThan(0n)

  expect((await askShop(last.url)).status).toBe(200)
  last.signal('SIGTERM')
  expect(await last.exited).toBe(0)
  const closed = await readLedger(databaseUrl)
  expect(closed.imbalances).toEqual([])
  expect(closed.availableNano).toBe(closed.creditNano - closed.spentNano)
}

describe('kill -9 under load, three times', () => {
  test('on SQLite: no charge of a delivered response is lost, and every hold is returned', async () => {
    const { url } = await startUpstream()
    const workspace = makeWorkspace(shopConfig(url))
    await dieThreeTimes(workspace, `sqlite://${workspace.path('data/tollgate.db')}`)
  })

  const name = 'process: kill -9 on Postgres'
  if (postgresServerUrl(name) !== undefined) {
    test('on Postgres: no charge of a delivered response is lost, and every hold is returned', async () => {
      const { url } = await startUpstream()
      const database = await freshDatabase()
      drops.push(() => database.drop())
      const workspace = makeWorkspace(shopConfig(url, { database: database.url }))
      await dieThreeTimes(workspace, database.url)
    })
  }
})
