import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { GroupCommit } from '../../src/store/group-commit.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import type { PostgresLimits } from '../../src/store/postgres/limits.ts'
import { openPostgres } from '../../src/store/postgres/postgres-engine.ts'
import { rowShape } from '../../src/store/shape.ts'
import { write } from '../../src/store/write.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/postgres/start-database-proxy.ts'

/** As in production, only shorter. */
const short = { connectionsMax: 2, acquireMs: patience(1_000), statementMs: patience(400) }
const limits: PostgresLimits = {
  serving: short,
  reports: short,
  records: short,
  patient: { ...short, isPrepared: false },
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

const countFacts = 'SELECT COUNT(*) AS count FROM fact'
const unit = { statements: [{ sql: countFacts, values: [] }] }

const ways: readonly Way[] = [
  { name: 'a look-up', ask: ({ db }) => db.selectFrom('fact').selectAll().execute() },
  {
    name: 'a question of the console',
    ask: ({ reportDb }) => reportDb.selectFrom('fact').selectAll().execute(),
  },
  {
    name: 'housekeeping',
    ask: ({ patientDb }) => patientDb.selectFrom('fact').selectAll().execute(),
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

let database: FreshDatabase | undefined
let proxy: DatabaseProxy | undefined
let engine: Engine | undefined

afterEach(async () => {
  await engine?.close()
  await proxy?.stop()
  await database?.drop()
})

async function open(): Promise<{ engine: Engine; proxy: DatabaseProxy }> {
  database = await freshDatabase()
  proxy = await startDatabaseProxy(database.url)
  engine = await openPostgres(proxy.url, limits)
  await migrate(engine, migrations, 1)
  await engine.defineShapes([factShape])
  return { engine, proxy }
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
  ['DatabaseSilent', 'ConnectionStale', 'TransientStoreError'].includes(outcome)

const name = 'store: a Postgres that does not answer'

if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    test.each(ways)(
      '$name: lost packets are noticed, and the next try has a new connection',
      async ({ ask }) => {
        const { engine, proxy } = await open()
        await ask(engine)
        proxy.silenceOpen()
        expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
        expect(await outcomeOf(ask(engine))).toBe('answered')
      },
      patience(20_000),
    )

    test.each(ways)(
      '$name: a server that takes connections and says nothing is given up, again and again',
      async ({ ask }) => {
        const { engine, proxy } = await open()
        await ask(engine)
        proxy.silenceOpen()
        proxy.silenceNew()
        expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
        expect(isGivenUp(await outcomeOf(ask(engine)))).toBe(true)
        proxy.heal()
        await eventually('it works', async () => (await outcomeOf(ask(engine))) === 'answered')
      },
      patience(30_000),
    )

    test('says for how long nobody has been answered', async () => {
      const { engine, proxy } = await open()
      const look = () => outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
      expect(await look()).toBe('answered')
      expect(engine.outOfReachMs()).toBe(0)
      // An error is an answer.
      expect(await outcomeOf(sql`SELECT no_such_column`.execute(engine.db))).not.toBe('answered')
      expect(engine.outOfReachMs()).toBe(0)
      proxy.silenceOpen()
      proxy.silenceNew()
      await look()
      await eventually('time passes', () => engine.outOfReachMs() > 0)
      proxy.heal()
      await eventually('it answers', async () => (await look()) === 'answered')
      expect(engine.outOfReachMs()).toBe(0)
    })

    test('the server ends what takes too long, and the connection stays', async () => {
      const { engine, proxy } = await open()
      const sleep = sql`SELECT pg_sleep(30)`
      await engine.db.selectFrom('fact').selectAll().execute()
      const before = proxy.opened()
      expect(await outcomeOf(sleep.execute(engine.db))).toBe('DatabaseSilent')
      await engine.db.selectFrom('fact').selectAll().execute()
      expect(proxy.opened()).toBe(before)
      expect(engine.outOfReachMs()).toBe(0)
    })

    test('nobody waits for ever for a connection that others have', async () => {
      const { engine } = await open()
      const gate = Promise.withResolvers<void>()
      const holders = Array.from({ length: short.connectionsMax }, () =>
        engine.db.transaction().execute(async (tx) => {
          await tx.selectFrom('fact').selectAll().execute()
          await gate.promise
        }),
      )
      const look = () => outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
      expect(await look()).toBe('DatabaseSilent')
      gate.resolve()
      await Promise.all(holders)
      expect(await look()).toBe('answered')
    })

    test('a migration is not cut', async () => {
      const { engine } = await open()
      const slow = { id: '9999-slow', statements: ['SELECT pg_sleep(2)'] }
      expect(await migrate(engine, [...migrations, slow], 1)).toEqual(['9999-slow'])
    })

    test('notifications are heard again after packets were lost', async () => {
      const { engine, proxy } = await open()
      let heard = 0
      await engine.onNotify(() => {
        heard += 1
      })
      await engine.notify()
      await eventually('it is heard', () => heard > 0)
      proxy.silenceOpen()
      await outcomeOf(engine.db.selectFrom('fact').selectAll().execute())
      const before = heard
      await eventually('it is heard again', async () => {
        await engine.notify()
        return heard > before
      })
    })

    test('the server ends a transaction of somebody who has gone silent', async () => {
      const { engine } = await open()
      const settings = sql<{ ms: string }>`
        SELECT setting AS ms FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`
      for (const db of [engine.db, engine.reportDb, engine.patientDb])
        expect(Number((await settings.execute(db)).rows[0]?.ms)).toBeGreaterThan(0)
    })
  })
}
