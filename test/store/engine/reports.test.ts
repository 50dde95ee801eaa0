import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const account = { name: 'a', status: 'active', ends_at: null, available_nano: 1n, created_at: 1 }

/** Long enough that anything that waits for it ends after it. */
function countLong({ reportDb }: Engine) {
  const numbers = sql<{ i: number }>`(WITH RECURSIVE counted(i) AS (
    SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM counted WHERE i < 300000)
    SELECT i FROM counted)`
  return reportDb
    .selectFrom(numbers.as('numbers'))
    .select(sql<number>`COUNT(*)`.as('count'))
    .executeTakeFirst()
}

describe.each(sharedFixtures('reports'))('a long query on $kind', (fixture) => {
  test('does not delay reads or writes of others', async () => {
    const engine = await fixture.openMigrated()
    const { db } = engine
    await db
      .insertInto('account')
      .values({ ...account, id: 'before' })
      .execute()
    const order: string[] = []
    // More queries than connections for reports.
    const long = Array.from({ length: 8 }, () => countLong(engine).then(() => order.push('long')))
    await db.selectFrom('account').selectAll().execute()
    order.push('read')
    await db
      .insertInto('account')
      .values({ ...account, id: 'meanwhile' })
      .execute()
    order.push('write')
    await engine.runUnits([{ statements: [{ sql: 'DELETE FROM account', values: [] }] }])
    order.push('unit')
    await Promise.all(long)
    expect(order.slice(0, 3)).toEqual(['read', 'write', 'unit'])
  })

  test('sees earlier writes, and can write itself', async () => {
    const { db, reportDb } = await fixture.openMigrated()
    await db
      .insertInto('account')
      .values({ ...account, id: 'one' })
      .execute()
    expect(await reportDb.selectFrom('account').select('id').execute()).toEqual([{ id: 'one' }])
    await reportDb.transaction().execute(async (tx) => {
      await tx
        .insertInto('account')
        .values({ ...account, id: 'two' })
        .execute()
    })
    expect(await db.selectFrom('account').select('id').orderBy('id').execute()).toHaveLength(2)
  })
})
