import { expect, test } from 'bun:test'
import {
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { followChanges } from '../../../src/store/changes/change-follower.ts'
import type { Engine } from '../../../src/store/engine.ts'
import type { Tables } from '../../../src/store/tables/tables.ts'

/** A database that answers at once, so that a test can act between two turns of the follower. */
function instantEngine(rows: { seq: number; topic: string; subject: string }[]): Engine {
  let last = 0
  const connection = {
    executeQuery: async <Row>(query: { sql: string }): Promise<QueryResult<Row>> => {
      if (query.sql.includes('max(')) return { rows: [{ seq: last } as Row] }
      const found = rows.filter((row) => row.seq > last)
      last = found.at(-1)?.seq ?? last
      return { rows: found as Row[] }
    },
    streamQuery: () => {
      throw new Error('not used here')
    },
  }
  const driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => undefined,
    commitTransaction: async () => undefined,
    rollbackTransaction: async () => undefined,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  }
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (instance) => new SqliteIntrospector(instance),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return {
    kind: 'sqlite',
    clockSql: '0',
    db,
    reportDb: db,
    usageDb: db,
    backgroundDb: db,
    schemaDb: db,
    outOfReachMs: () => 0,
    runUnits: async () => [],
    defineShapes: async () => undefined,
    applyRecords: async () => undefined,
    readSnapshot: () => Promise.reject(new Error('not simulated')),
    onNotify: async () => undefined,
    notify: async () => undefined,
    close: async () => undefined,
  }
}

const stepsMax = 60

test('a poll requested at any moment of another poll sees everything announced before the request', async () => {
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const rows: { seq: number; topic: string; subject: string }[] = []
    const seen: string[] = []
    const follower = followChanges(
      instantEngine(rows),
      0,
      async (changes) => {
        for (const change of changes) seen.push(change.subject)
      },
      () => undefined,
    )
    const first = follower.catchUp()
    for (let step = 0; step < steps; step += 1) await Promise.resolve()
    rows.push({ seq: 1, topic: 'key', subject: 'k1' })
    await follower.catchUp()
    expect({ steps, seen }).toEqual({ steps, seen: ['k1'] })
    await first
    await follower.stop()
  }
})
