import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import type { PostgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { rowShape } from '../../../src/store/units/shape.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import {
  type DatabaseProxy,
  startDatabaseProxy,
} from '../../support/postgres/start-database-proxy.ts'

/** The limits of production, but shorter. */
const short = { connectionsMax: 2, acquireMs: patience(1_000), statementMs: patience(500) }
const limits: PostgresLimits = {
  serving: short,
  reports: short,
  records: short,
  background: { ...short, isPrepared: false },
}

const factShape = rowShape('fact-1', {
  table: 'fact',
  columns: ['name', 'value'],
  unique: ['name'],
})

interface Way {
  readonly name: string
  ask(engine: Engine): Promise<unknown>
}

const commitsOf = new WeakMap<Engine, GroupCommit>()

function commits(engine: Engine): GroupCommit {
  const known = commitsOf.get(engine) ?? new GroupCommit(engine)
  commitsOf.set(engine, known)
  return known
}

const timeoutMs = patience(60_000)

const countFacts = 'SELECT COUNT(*) AS count FROM fact'
const unit = { statements: [{ sql: countFacts, values: [] }] }

const ways: readonly Way[] = [
  { name: 'a look-up', ask: ({ db }) => db.selectFrom('fact').selectAll().execute() },
  {
    name: 'a query of the console',
    ask: ({ reportDb }) => reportDb.selectFrom('fact').selectAll().execute(),
  },
  {
    name: 'housekeeping',
    ask: ({ backgroundDb }) => backgroundDb.selectFrom('fact').selectAll().execute(),
  },
  {
    name: 'a change',
    ask: (engine) =>
      write(engine, 1, async ({ tx, announce }) => {
        await tx.selectFrom('fact').selectAll().execute()
        announce('catalog', 'x')
      }),
  },
  { name: 'units', ask: (engine) => engine.runUnits([unit, unit]) },
  {
    name: 'a batch of many requests',
    ask: (engine) => Promise.all(Array.from({ length: 40 }, () => commits(engine).run(unit))),
  },
  {
    name: 'the shipper',
    ask: (engine) => engine.applyRecords([JSON.stringify([['fact-1', 'shipped', 'A']])]),
  },
]

interface Fixture {
  readonly engine: Engine
  readonly proxy: DatabaseProxy
}

/** A separate database for each test: the tests run concurrently, because they mostly wait. */
function withFixture(check: (fixture: Fixture) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await freshDatabase()
    const proxy = await startDatabaseProxy(database.url)
    try {
      const engine = await openPostgres(proxy.url, limits)
      try {
        await migrate(engine, migrations, 1)
        await engine.defineShapes([factShape])
        await check({ engine, proxy })
      } finally {
        await engine.close()
      }
    } finally {
      await proxy.stop()
      await database.drop()
    }
  }
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'answered'
  } catch (error) {
    return error instanceof Error ? error.name : String(error)
  }
}

const isGivenUp = (outcome: string): boolean =>
  ['DatabaseTimeout', 'ConnectionStale', 'TransientStoreError'].includes(outcome)

const name = 'store: a Postgres that does not answer'

if (postgresServerUrl(name) !== undefined) {
  describe.concurrent(name, () => {
    for (const { name, ask } of ways) {
      test(
        `${name}: lost packets are noticed, and the next attempt uses a new connection`,
        withFixture(async ({ engine, proxy }) => {
          await ask(engine)
          proxy.silenceOpen()
          expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
          expect(await outcomeOf(ask(engine))).toBe('answered')
        }),
        timeoutMs,
      )

      test(
        `${name}: a server that accepts connections but does not answer causes a timeout every time`,
        withFixture(async ({ engine, proxy }) => {
          await ask(engine)
          proxy.silenceOpen()
          proxy.silenceNew()
          expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
          expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
          proxy.heal()
          await eventually(
            'queries work again',
            async () => (await outcomeOf(ask(engine))) === 'answered',
          )
        }),
        timeoutMs,
      )
    }

    test(
      'reports how long no query has been answered',
      withFixture(async ({ engine, proxy }) => {
        const look = () => outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
        expect(await look()).toBe('answered')
        expect(engine.outOfReachMs()).toBe(0)
        // An error counts as an answer.
        expect(await outcomeOf(sql`SELECT no_such_column`.execute(engine.db))).not.toBe('answered')
        expect(engine.outOfReachMs()).toBe(0)
        proxy.silenceOpen()
        proxy.silenceNew()
        await look()
        await eventually('the silence is measured', () => engine.outOfReachMs() > 0)
        proxy.heal()
        await eventually('the database answers', async () => (await look()) === 'answered')
        expect(engine.outOfReachMs()).toBe(0)
      }),
      timeoutMs,
    )

    test(
      'the server cancels a statement that takes too long, and the connection stays open',
      withFixture(async ({ engine, proxy }) => {
        const sleep = sql`SELECT pg_sleep(30)`
        await engine.db.selectFrom('fact').selectAll().execute()
        const before = proxy.opened()
        expect(await outcomeOf(sleep.execute(engine.db))).toBe('DatabaseTimeout')
        await engine.db.selectFrom('fact').selectAll().execute()
        expect(proxy.opened()).toBe(before)
        expect(engine.outOfReachMs()).toBe(0)
      }),
      timeoutMs,
    )

    test(
      'the wait for a connection in use is limited',
      withFixture(async ({ engine }) => {
        let isHeld = true
        const holding = Array.from({ length: short.connectionsMax }, () =>
          Promise.withResolvers<void>(),
        )
        const holders = holding.map(({ resolve }) =>
          engine.db.transaction().execute(async (tx) => {
            // Never idle, because the server would end an idle transaction.
            while (isHeld) {
              await sql`SELECT pg_sleep(0.02)`.execute(tx)
              resolve()
            }
          }),
        )
        // Otherwise, on a busy machine, the query below could get a connection first.
        await Promise.all(holding.map(({ promise }) => promise))
        const look = () => outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
        expect(await look()).toBe('DatabaseTimeout')
        isHeld = false
        await Promise.all(holders)
        expect(await look()).toBe('answered')
      }),
      timeoutMs,
    )

    test(
      'a migration has no statement timeout',
      withFixture(async ({ engine }) => {
        const seconds = (2 * short.statementMs) / 1_000
        const slow = { id: '9999-slow', statements: [`SELECT pg_sleep(${seconds})`] }
        expect(await migrate(engine, [...migrations, slow], 1)).toEqual(['9999-slow'])
      }),
      timeoutMs,
    )

    test(
      'notifications arrive again after lost packets',
      withFixture(async ({ engine, proxy }) => {
        let heard = 0
        await engine.onNotify(() => {
          heard += 1
        })
        await engine.notify()
        await eventually('the notification arrives', () => heard > 0)
        proxy.silenceOpen()
        await outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
        const before = heard
        await eventually('the notification arrives again', async () => {
          await engine.notify()
          return heard > before
        })
      }),
      timeoutMs,
    )

    test(
      'the server ends the transaction of a silent client',
      withFixture(async ({ engine }) => {
        const settings = sql<{ ms: string }>`
        SELECT setting AS ms FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`
        for (const db of [engine.db, engine.reportDb, engine.backgroundDb])
          expect(Number((await settings.execute(db)).rows[0]?.ms)).toBeGreaterThan(0)
      }),
      timeoutMs,
    )
  })
}
