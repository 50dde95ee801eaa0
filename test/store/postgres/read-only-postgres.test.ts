import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { asFault } from '../../../src/core/fault.ts'
import { write } from '../../../src/store/changes/write.ts'
import { type Engine, TransientStoreError } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { type PostgresLimits, postgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { rowShape } from '../../../src/store/units/shape.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

const sessions = 4
const limits: PostgresLimits = {
  ...postgresLimits,
  serving: { ...postgresLimits.serving, connectionsMax: sessions },
}

const factShape = rowShape('fact-1', {
  table: 'fact',
  columns: ['name', 'value'],
  unique: ['name'],
})

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

let names = 0
function nextName(): string {
  names += 1
  return `name-${names}`
}

/** A write on one connection of the serving pool, without an explicit transaction. */
const insert = ({ db }: Engine): Promise<unknown> =>
  db.insertInto('fact').values({ name: nextName(), value: 'A' }).execute()

const unit = () => ({
  statements: [
    { sql: 'INSERT INTO fact (name, value) VALUES (?, ?)', values: [nextName(), 'A'] as const },
  ],
})

const ways: readonly {
  readonly name: string
  /** A caller that repeats its transaction does not see the failure of a stale session. */
  readonly failures: 0 | 1
  ask(engine: Engine): Promise<unknown>
}[] = [
  { name: 'a statement', failures: 1, ask: insert },
  {
    name: 'a maintenance statement',
    failures: 1,
    ask: ({ backgroundDb }) =>
      backgroundDb.insertInto('fact').values({ name: nextName(), value: 'A' }).execute(),
  },
  {
    name: 'a transaction whose ROLLBACK works',
    failures: 1,
    ask: ({ db }) =>
      db.transaction().execute(async (tx) => {
        await tx.selectFrom('fact').selectAll().execute()
        await tx.insertInto('fact').values({ name: nextName(), value: 'A' }).execute()
      }),
  },
  {
    name: 'a change',
    failures: 0,
    ask: (engine) =>
      write(engine, 1, async ({ tx, announce }) => {
        await tx.insertInto('fact').values({ name: nextName(), value: 'A' }).execute()
        announce('catalog', 'x')
      }),
  },
  {
    name: 'units of many requests',
    failures: 0,
    ask: (engine) => {
      const commits = new GroupCommit(engine)
      return Promise.all(Array.from({ length: 20 }, () => commits.run(unit())))
    },
  },
  {
    name: 'the shipper',
    failures: 1,
    ask: (engine) => engine.applyRecords([JSON.stringify([['fact-1', nextName(), 'A']])]),
  },
]

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'answered'
  } catch (error) {
    return error instanceof TransientStoreError ? 'try again' : String(error)
  }
}

/** Whether this many sessions answer at the same time. */
async function sessionsOf(db: Engine['db'], count: number): Promise<boolean> {
  const asked = Array.from({ length: count }, () =>
    sql<{ pid: number }>`SELECT pg_backend_pid() AS pid FROM pg_sleep(0.05)`.execute(db),
  )
  const answers = await Promise.allSettled(asked)
  const pids = answers.flatMap((each) =>
    each.status === 'fulfilled' ? each.value.rows.map(({ pid }) => pid) : [],
  )
  return new Set(pids).size === count
}

interface Fixture {
  readonly engine: Engine
  readonly url: string
  /** As after a failover: every session of the process is read-only, and a new one can write. */
  makeAllStale(): Promise<void>
  setReadOnly(isOn: boolean): Promise<unknown>
  endSessions(): Promise<unknown>
}

async function open(): Promise<Fixture> {
  const database = await freshDatabase()
  const engine = await openPostgres(database.url, limits)
  await migrate(engine, migrations, 1)
  await engine.defineShapes([factShape])
  const name = new URL(database.url).pathname.slice(1)
  const admin = new SQL(Object.assign(new URL(database.url), { pathname: '/postgres' }).href, {
    max: 1,
  })
  endings.push(
    () => database.drop(),
    () => admin.close({ timeout: 0 }),
    () => engine.close(),
  )
  const setReadOnly = (isOn: boolean) =>
    admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn}`)
  const endSessions = () =>
    admin.unsafe('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      name,
    ])
  const makeAllStale = async () => {
    await setReadOnly(true)
    await endSessions()
    // With all sessions open, none is opened after the server has become writable.
    await eventually('every session is read-only', async () => {
      const serving = await sessionsOf(engine.db, sessions)
      const background = await sessionsOf(engine.backgroundDb, limits.background.connectionsMax)
      return serving && background
    })
    await engine.applyRecords([]).catch(() => undefined)
    await setReadOnly(false)
  }
  return { engine, url: database.url, makeAllStale, setReadOnly, endSessions }
}

const title = 'store: a Postgres that has changed its role'

if (postgresServerUrl(title) !== undefined) {
  describe(title, () => {
    test.each(ways)(
      '$name: one failure replaces all read-only sessions',
      async ({ ask, failures }) => {
        const { engine, makeAllStale } = await open()
        await makeAllStale()
        const first = await outcomeOf(ask(engine))
        expect(first).toBe(failures === 0 ? 'answered' : 'try again')
        const asked = Array.from({ length: 2 * sessions }, () => ask(engine))
        expect(new Set(await Promise.all(asked.map(outcomeOf)))).toEqual(new Set(['answered']))
      },
      patience(60_000),
    )

    test(
      'while the server is read-only, every kind of query gets a transient error',
      async () => {
        const { engine, setReadOnly, endSessions } = await open()
        await setReadOnly(true)
        await endSessions()
        for (const { ask } of ways) {
          const told = await ask(engine).then(() => undefined, asFault)
          expect(told).toMatchObject({ code: 'unavailable', status: 503 })
        }
        // Reads still work.
        expect(await engine.db.selectFrom('entry').selectAll().execute()).toEqual([])
        await setReadOnly(false)
        for (const { ask } of ways) {
          await outcomeOf(ask(engine))
          expect(await outcomeOf(ask(engine))).toBe('answered')
        }
      },
      patience(60_000),
    )

    test(
      'a running statement on another session is not cancelled',
      async () => {
        const { engine, url, makeAllStale } = await open()
        await makeAllStale()
        const blocker = new SQL(url, { max: 1 })
        endings.push(() => blocker.close({ timeout: 0 }))
        await blocker.unsafe('SELECT pg_advisory_lock(7)')
        const readers = [engine.db, engine.reportDb, engine.backgroundDb]
        const reading = readers.map((db) =>
          outcomeOf(sql`SELECT pg_advisory_xact_lock(7)`.execute(db)),
        )
        await eventually('all of them wait', async () => {
          const [row] = await blocker.unsafe(
            "SELECT COUNT(*)::INT AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
          )
          return row.count === readers.length
        })
        expect(await outcomeOf(insert(engine))).toBe('try again')
        expect(await outcomeOf(insert(engine))).toBe('answered')
        await blocker.unsafe('SELECT pg_advisory_unlock(7)')
        expect(await Promise.all(reading)).toEqual(readers.map(() => 'answered'))
      },
      patience(60_000),
    )

    test(
      'notifications arrive again, even if LISTEN was rejected for a while',
      async () => {
        const { engine, setReadOnly, endSessions } = await open()
        let heard = 0
        await engine.onNotify(() => {
          heard += 1
        })
        await setReadOnly(true)
        await endSessions()
        expect(await outcomeOf(insert(engine))).not.toBe('answered')
        await setReadOnly(false)
        await eventually('writes succeed again', async () => {
          return (await outcomeOf(insert(engine))) === 'answered'
        })
        await eventually('a notification arrives', async () => {
          await engine.notify()
          return heard > 0
        })
      },
      patience(60_000),
    )

    test(
      'sessions that an administrator terminates are replaced',
      async () => {
        const { engine, endSessions } = await open()
        for (const { ask, failures } of ways) {
          // A session that was just terminated may still be reporting it.
          await eventually('all sessions are open', async () => {
            const opened = Array.from({ length: sessions }, () => outcomeOf(insert(engine)))
            return (await Promise.all(opened)).every((outcome) => outcome === 'answered')
          })
          await endSessions()
          const first = await outcomeOf(ask(engine))
          if (failures === 0) expect(first).toBe('answered')
          expect(await outcomeOf(ask(engine))).toBe('answered')
        }
      },
      patience(60_000),
    )
  })

  describe('store: a Postgres that accepts no connections', () => {
    test.each(['57P01', '57P02', '57P03', '53300'])(
      'SQLSTATE %s: the caller gets a transient error, and the next connection works',
      async (code) => {
        const database = await freshDatabase()
        const door = await startDoor(database.url)
        endings.push(
          () => database.drop(),
          () => door.stop(),
        )
        const engine = await openPostgres(door.url, limits)
        endings.push(() => engine.close())
        await migrate(engine, migrations, 1)
        await engine.defineShapes([factShape])
        door.refuseWith(code)
        for (const { ask } of ways) {
          const told = await ask(engine).then(() => undefined, asFault)
          expect(told).toMatchObject({ code: 'unavailable', status: 503 })
        }
        door.open()
        // A connection of the pool that was just refused may still be reporting it.
        for (const { name, ask } of ways) {
          await eventually(`${name} is answered`, async () => {
            return (await outcomeOf(ask(engine))) === 'answered'
          })
        }
        for (const { ask } of ways) expect(await outcomeOf(ask(engine))).toBe('answered')
      },
      patience(60_000),
    )
  })
}

/** A proxy to a server that can close its connections and refuse new ones with an error of Postgres. */
async function startDoor(databaseUrl: string): Promise<{
  readonly url: string
  refuseWith(sqlState: string): void
  open(): void
  stop(): Promise<unknown>
}> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let refusal: string | undefined
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    client.on('close', () => sockets.delete(client))
    if (refusal !== undefined) {
      const error = errorResponse(refusal)
      client.once('data', () => client.end(error))
      return
    }
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => client.destroy())
    client.on('close', () => far.destroy())
    far.on('close', () => client.destroy())
    client.pipe(far)
    far.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    refuseWith: (sqlState) => {
      refusal = sqlState
      for (const socket of sockets) socket.destroy()
    },
    open: () => {
      refusal = undefined
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      return once(server, 'close')
    },
  }
}

function errorResponse(sqlState: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${sqlState}`, 'Mthe server takes no connections now', '']
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
