import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { writeTurns } from '../../../src/store/changes/in-turn.ts'
import { write } from '../../../src/store/changes/write.ts'
import { DatabaseTimeout, type Engine } from '../../../src/store/engine.ts'
import { type PostgresLimits, postgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

/* Changes wait for each other, and not with the connections that requests need. */

if (postgresServerUrl('changes in turn') !== undefined) describe('changes in turn', turnTests)

const many = 50
const waits = { acquireMs: patience(30_000), statementMs: patience(30_000) }
const limits: PostgresLimits = {
  ...postgresLimits,
  serving: { ...postgresLimits.serving, ...waits },
}
const usual = { ...writeTurns }

const errorOf = (change: Promise<unknown>): Promise<string> => change.then(() => 'none', String)

function turnTests(): void {
  let database: FreshDatabase
  let engine: Engine
  /** Ends the change that all others wait for. */
  let endFirst: () => void
  let first: Promise<number>
  beforeAll(async () => {
    database = await freshDatabase()
    engine = await openPostgres(database.url, limits)
  })
  afterAll(async () => {
    await engine.close()
    await database.drop()
  })
  beforeEach(async () => {
    Object.assign(writeTurns, usual, { waitMs: patience(30_000) })
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    endFirst = ended.resolve
    first = write(engine, 1, async () => {
      begun.resolve()
      await ended.promise
      return 0
    })
    await begun.promise
  })
  afterEach(() => {
    endFirst()
    Object.assign(writeTurns, usual)
  })

  const sessionsOf = async (db: Engine['db']) => {
    const { rows } = await sql<{ count: number }>`SELECT COUNT(*)::int AS count
      FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`.execute(
      db,
    )
    return rows[0]?.count
  }

  test(`${many} changes at once leave the connections to requests, and all happen, one after the other`, async () => {
    const order: number[] = []
    let running = 0
    const changes = Array.from({ length: many }, (_, at) =>
      write(engine, 1, async ({ tx }) => {
        running += 1
        expect(running).toBe(1)
        await sql`SELECT 1`.execute(tx)
        order.push(at)
        running -= 1
        return at
      }),
    )
    // More than the pool has connections: with one for each waiting change, these would wait for all changes.
    const answered = await Promise.all(Array.from({ length: 20 }, () => sessionsOf(engine.db)))
    expect(new Set(answered)).toEqual(new Set([0]))
    expect(order).toEqual([])
    endFirst()
    expect(await Promise.all([first, ...changes])).toEqual([0, ...order])
    expect(order).toEqual(Array.from({ length: many }, (_, at) => at))
  })

  test('a change that fails gives its turn to the next one', async () => {
    const failing = write(engine, 1, async () => {
      throw new Error('refused')
    })
    const next = write(engine, 1, async () => 'done')
    endFirst()
    expect(await errorOf(failing)).toBe('Error: refused')
    expect(await next).toBe('done')
  })

  test('a change that waits too long is refused, never happens, and gives its turn away', async () => {
    writeTurns.waitMs = 1
    let happened = 0
    const late = write(engine, 1, async () => {
      happened += 1
    })
    expect(await errorOf(late)).toStartWith('DatabaseTimeout: earlier changes took longer')
    endFirst()
    expect(await first).toBe(0)
    writeTurns.waitMs = patience(30_000)
    expect(await write(engine, 1, async () => 'next')).toBe('next')
    expect(happened).toBe(0)
  })

  test('if the database does not answer one change, those behind it fail with it, and later ones do not', async () => {
    const silent = write(engine, 1, async () => {
      throw new DatabaseTimeout('no answer')
    })
    const behind = [1, 2].map((at) => write(engine, 1, async () => at))
    const errors = Promise.all([silent, ...behind].map(errorOf))
    endFirst()
    expect(await errors).toEqual(Array.from({ length: 3 }, () => 'DatabaseTimeout: no answer'))
    expect(await write(engine, 1, async () => 'next')).toBe('next')
  })

  test('beyond the longest queue a change is refused at once', async () => {
    writeTurns.waitingMax = 2
    const waiting = [1, 2].map((at) => write(engine, 1, async () => at))
    expect(await errorOf(write(engine, 1, async () => 3))).toBe(
      'DatabaseTimeout: 2 changes are waiting for the database',
    )
    endFirst()
    expect(await Promise.all(waiting)).toEqual([1, 2])
  })

  test('the changes of the background have their own turns', async () => {
    const background = { ...engine, db: engine.backgroundDb }
    // Both engines change the same database, which lets only one of them through.
    const change = write(background, 1, async () => 'later')
    endFirst()
    expect(await change).toBe('later')
  })
}
