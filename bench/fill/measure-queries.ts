import { overviewAccounts } from '../../src/console-api/answers/overview/account-overviews.ts'
import { readUsagePage } from '../../src/console-api/answers/usage/list-usage-rows.ts'
import { openKeyDirectory } from '../../src/keys/key-directory.ts'
import type { Engine } from '../../src/store/engine.ts'
import { createVault } from '../../src/store/vault.ts'
import { median } from '../median.ts'
import { logMs } from './fill-database.ts'

interface Question {
  readonly name: string
  /** At the start nobody waits for the answer, so the goal does not count it. */
  readonly isAtStart?: boolean
  /** Asked several times, each time about something else where it can be. */
  readonly ask: (round: number) => Promise<unknown>
}

const rounds = 20
const goalMs = 50
const dayMs = 86_400_000

/** Prints how long each question takes; true when even the slowest is answered quickly enough, half of the time at least. */
export async function measureQueries(
  engine: Engine,
  print: (line: string) => void,
): Promise<boolean> {
  let worstMs = 0
  print(
    `\n${'question'.padEnd(64)}${'first'.padStart(9)}${'median'.padStart(9)}${'most'.padStart(9)}  ms`,
  )
  for (const { name, isAtStart, ask } of await listQuestions(engine)) {
    const timesMs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const startedMs = performance.now()
      await ask(round)
      timesMs.push(performance.now() - startedMs)
    }
    const [firstMs = 0, ...laterMs] = timesMs
    const figures = [firstMs, median(laterMs), Math.max(...laterMs)]
    print(name.padEnd(64) + figures.map((ms) => ms.toFixed(1).padStart(9)).join(''))
    if (!isAtStart) worstMs = Math.max(worstMs, median(laterMs))
  }
  const isReached = worstMs <= goalMs
  print(
    `${isReached ? 'PASS' : 'FAIL'}  slowest median ${worstMs.toFixed(1)} ms (at most ${goalMs})`,
  )
  return isReached
}

async function listQuestions(engine: Engine): Promise<Question[]> {
  const { db } = engine
  const busy = { accountIds: ['acc_0'] }
  const page = (scope: { accountIds: string[] | undefined }, query: string) => () =>
    readUsagePage(engine, scope, new URLSearchParams(query))
  const nowMs = Date.now()
  const middle = await readUsagePage(
    engine,
    busy,
    new URLSearchParams({ to: String(nowMs - logMs / 2) }),
  )
  const { rows: keys } = await sampleKeys(engine)
  const keyOf = (round: number) => keys[round % keys.length]
  return [
    {
      name: 'at the start: the key directory with its first keys',
      isAtStart: true,
      ask: () => openKeyDirectory(engine, createVault(new Uint8Array(32))),
    },
    {
      name: 'a key by the hash of its value',
      ask: (round) =>
        db
          .selectFrom('api_key')
          .selectAll()
          .where('value_hash', '=', keyOf(round)?.value_hash ?? '')
          .execute(),
    },
    { name: 'log of all accounts', ask: page({ accountIds: undefined }, '') },
    { name: 'log of the busiest account', ask: page(busy, '') },
    { name: 'log of the busiest account, in the middle', ask: page(busy, `before=${middle.next}`) },
    { name: 'log of the busiest key', ask: page(busy, 'key=key_0') },
    {
      name: 'log of any account',
      ask: (round) => page({ accountIds: [keyOf(round)?.account_id ?? ''] }, '')(),
    },
    {
      name: 'log of any key',
      ask: (round) => page({ accountIds: undefined }, `key=${keyOf(round)?.id}`)(),
    },
    { name: 'busiest account, errors', ask: page(busy, 'status=error') },
    { name: 'busiest account, status 429', ask: page(busy, 'status=429') },
    { name: 'busiest account, one model', ask: page(busy, 'model=model-3') },
    { name: 'busiest account, a model hardly used', ask: page(busy, 'model=rare-model') },
    { name: 'busiest account, a model never used', ask: page(busy, 'model=no-model') },
    {
      name: 'all accounts, a model never used',
      ask: page({ accountIds: undefined }, 'model=none'),
    },
    {
      name: 'busiest key, protocol, group and one day',
      ask: (round) => {
        const to = nowMs - (round + 1) * dayMs
        const query = `key=key_0&protocol=messages&group=premium&from=${to - dayMs}&to=${to}`
        return page(busy, query)()
      },
    },
    {
      name: 'overview of the busiest account',
      ask: () => overviewAccounts(engine, busy, nowMs - dayMs),
    },
    {
      name: 'overview of an administrator',
      ask: () => overviewAccounts(engine, { accountIds: undefined }, nowMs - dayMs),
    },
  ]
}

async function sampleKeys({ db }: Engine) {
  const rows = await db
    .selectFrom('api_key')
    .select(['id', 'account_id', 'value_hash'])
    .orderBy('value_hash')
    .limit(rounds)
    .execute()
  return { rows }
}
