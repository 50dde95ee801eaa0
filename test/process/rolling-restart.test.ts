import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../support/patience.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { readBooks } from './books.ts'
import { startRollingCallers } from './rolling-callers.ts'
import { shopConfig } from './shop.ts'
import { cleanUpAfterwards, startTollgate, type TollgateProcess } from './tollgate-process.ts'
import { makeWorkspace } from './workspace.ts'

cleanUpAfterwards()

const callerCount = 8
/** Answers that are waited for between two restarts, so that both processes are at work. */
const answersBetween = 50
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const costNano = 350_000n

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

async function restartInTurn(databaseUrl: string | undefined): Promise<void> {
  upstream.reset()
  upstream.script({}, { kind: 'lie-usage', usage })
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const workspace = makeWorkspace(shopConfig(upstream.url, extra))
  const start = (replica: string, listen: string) =>
    startTollgate(workspace, ['--replica', replica, '--log-level', 'error', '--listen', listen])
  const names = ['node-a', 'node-b']
  const running: TollgateProcess[] = []
  for (const name of names) running.push(await start(name, '127.0.0.1:0'))
  const places = running.map(({ url }) => url)
  const callers = startRollingCallers(callerCount, places)
  const moreAnswers = async () => {
    const wanted = callers.answered.length + answersBetween
    await eventually('more answers', () => callers.answered.length >= wanted)
  }
  await moreAnswers()
  // First one, then the other, and then the other way round.
  for (const index of [0, 1, 1, 0]) {
    running[index]?.signal('SIGTERM')
    expect(await running[index]?.exited).toBe(0)
    await moreAnswers()
    running[index] = await start(names[index] ?? '', new URL(places[index] ?? '').host)
    await moreAnswers()
  }
  await callers.stop()
  for (const each of running) each.signal('SIGTERM')
  for (const each of running) expect(await each.exited).toBe(0)

  expect(callers.failed).toEqual([])
  // The restarts were noticed, or nothing was tested.
  expect(callers.moved()).toBeGreaterThan(0)
  const books = await readBooks(databaseUrl ?? `sqlite://${workspace.path('data/tollgate.db')}`)
  expect(books.imbalances).toEqual([])
  expect(callers.answered.filter((id) => !books.entries.has(id))).toEqual([])
  expect(books.entries.size).toBe(callers.answered.length)
  expect(books.entries.size).toBe(upstream.requests.length)
  expect(books.spentNano).toBe(BigInt(books.entries.size) * costNano)
  expect(books.availableNano).toBe(books.creditNano - books.spentNano)
  const figure = `${callers.answered.length} answers, ${callers.moved()} turned to the other process`
  process.stdout.write(`FIGURES: rolling restart: ${figure}, 0 failed\n`)
}

describe('two processes are restarted in turn under load, and no request fails', () => {
  test('SQLite', () => restartInTurn(undefined), patience(60_000))

  const name = 'process: a rolling restart on Postgres'
  if (postgresServerUrl(name) !== undefined) {
    test(
      'Postgres',
      async () => {
        const database = await freshDatabase()
        try {
          await restartInTurn(database.url)
        } finally {
          await database.drop()
        }
      },
      patience(60_000),
    )
  }
})
