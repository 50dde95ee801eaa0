import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'

function addAccount({ db }: Engine, id: string, available_nano = 0n) {
  const row = { id, name: id, status: 'active', ends_at: null, available_nano, created_at: 1 }
  return db.insertInto('account').values(row).execute()
}

async function accountIds({ db }: Engine): Promise<string[]> {
  const rows = await db.selectFrom('account').select('id').orderBy('id').execute()
  return rows.map((row) => row.id)
}

describe.each(sharedFixtures('queries'))('queries on $kind', (fixture) => {
  const amounts = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 62n)]

  test('money of any size is stored exactly', async () => {
    const engine = await fixture.openMigrated()
    for (const [index, amount] of amounts.entries()) await addAccount(engine, `a${index}`, amount)
    const query = engine.db.selectFrom('account').select('available_nano').orderBy('id')
    expect((await query.execute()).map((row) => row.available_nano)).toEqual(amounts)
  })

  test('money is added by the database without rounding', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', 2n ** 62n)
    await engine.db
      .updateTable('account')
      .set((eb) => ({ available_nano: eb('available_nano', '+', 2n ** 61n + 1n) }))
      .execute()
    const row = await engine.db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
    expect(row.available_nano).toBe(2n ** 62n + 2n ** 61n + 1n)
  })

  test('times, counts and flags are numbers, missing values are null', async () => {
    const engine = await fixture.openMigrated()
    const at = 1_790_000_000_123
    await addAccount(engine, 'a')
    await engine.db.updateTable('account').set({ created_at: at }).execute()
    const row = await engine.db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      id: 'a',
      name: 'a',
      status: 'active',
      ends_at: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null,
      available_nano: 0n,
      created_at: at,
    })
    const count = engine.db.selectFrom('account').select(({ fn }) => fn.countAll().as('rows'))
    expect(await count.executeTakeFirst()).toEqual({ rows: 1 })
  })

  test('any text is stored exactly', async () => {
    const engine = await fixture.openMigrated()
    const texts = ["O'Neil; DROP TABLE account", 'ünïcödé 😀 漢字', '?', '$1', '', ' \t\n']
    for (const [index, name] of texts.entries()) {
      await addAccount(engine, `a${index}`)
      await engine.db.updateTable('account').set({ name }).where('id', '=', `a${index}`).execute()
    }
    const rows = await engine.db.selectFrom('account').select('name').orderBy('id').execute()
    expect(rows.map((row) => row.name)).toEqual(texts)
  })

  test('numbers of changed rows, returned rows, and a conflict that does nothing', async () => {
    const engine = await fixture.openMigrated()
    const { db } = engine
    await addAccount(engine, 'a')
    const same = {
      id: 'a',
      name: 'x',
      status: '',
      ends_at: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null,
      available_nano: 1n,
      created_at: 1,
    }
    const again = await db
      .insertInto('account')
      .values(same)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    expect(again.numInsertedOrUpdatedRows).toBe(0n)
    const missed = await db
      .updateTable('account')
      .set({ name: 'b' })
      .where('id', '=', 'z')
      .execute()
    expect(missed[0]?.numUpdatedRows).toBe(0n)
    const gone = await db.deleteFrom('account').returning(['id', 'available_nano']).execute()
    expect(gone).toEqual([{ id: 'a', available_nano: 0n }])
  })

  test('a broken reference is rejected', async () => {
    const { db } = await fixture.openMigrated()
    const row = { user_id: 'nobody', account_id: 'none' }
    expect(await failureOf(db.insertInto('membership').values(row).execute())).toMatch(
      /foreign key/i,
    )
  })

  test('a transaction that throws changes nothing', async () => {
    const engine = await fixture.openMigrated()
    const work = engine.db.transaction().execute(async (tx) => {
      await addAccount({ ...engine, db: tx }, 'a')
      throw new Error('changed my mind')
    })
    expect(await failureOf(work)).toContain('changed my mind')
    expect(await accountIds(engine)).toEqual([])
    await addAccount(engine, 'b')
    expect(await accountIds(engine)).toEqual(['b'])
  })

  test('a transaction with a failing statement changes nothing', async () => {
    const engine = await fixture.openMigrated()
    const work = engine.db.transaction().execute(async (tx) => {
      await addAccount({ ...engine, db: tx }, 'a')
      await addAccount({ ...engine, db: tx }, 'a')
    })
    expect(await failureOf(work)).toMatch(/unique/i)
    expect(await accountIds(engine)).toEqual([])
  })

  test('a transaction reads its own writes, and others do not before its commit', async () => {
    const engine = await fixture.openMigrated()
    await engine.db.transaction().execute(async (tx) => {
      await addAccount({ ...engine, db: tx }, 'a')
      expect(await accountIds({ ...engine, db: tx })).toEqual(['a'])
      expect(await accountIds(engine)).toEqual([])
    })
    expect(await accountIds(engine)).toEqual(['a'])
  })

  test('reads between the statements of a transaction never see what is rolled back', async () => {
    const engine = await fixture.openMigrated()
    const seen: string[][] = []
    const look = async () => seen.push(await accountIds(engine))
    const undone = async (id: string): Promise<string> =>
      failureOf(
        engine.db.transaction().execute(async (tx) => {
          await addAccount({ ...engine, db: tx }, `${id}-1`)
          await addAccount({ ...engine, db: tx }, `${id}-2`)
          throw new Error('undone')
        }),
      )
    await look()
    for (let round = 0; round < 8; round += 1) {
      const looks = [look(), look()]
      const writes = [undone(`a${round}`), undone(`b${round}`)]
      for (let turn = 0; turn < 6; turn += 1) await look()
      await Promise.all([...looks, ...writes])
    }
    expect(seen.length).toBeGreaterThan(60)
    expect(seen.flat()).toEqual([])
  })

  test('concurrent writers each get their turn', async () => {
    const engine = await fixture.openMigrated()
    const ids = Array.from({ length: 20 }, (_, index) => `a${10 + index}`)
    await Promise.all(
      ids.map((id, index) =>
        index % 2 === 0
          ? addAccount(engine, id)
          : engine.db.transaction().execute((tx) => addAccount({ ...engine, db: tx }, id)),
      ),
    )
    expect(await accountIds(engine)).toEqual(ids)
  })

  test('a transaction that was left open does not affect the next one', async () => {
    const engine = await fixture.openMigrated()
    if (engine.kind === 'sqlite') {
      await sql`BEGIN`.execute(engine.db)
      await addAccount(engine, 'lost')
    }
    await engine.db.transaction().execute((tx) => addAccount({ ...engine, db: tx }, 'a'))
    expect(await accountIds(engine)).toEqual(['a'])
  })

  test('a failed commit rolls back and does not affect waiting callers', async () => {
    const engine = await fixture.openMigrated()
    const late = engine.db.transaction().execute(async (tx) => {
      await deferReferences({ ...engine, db: tx })
      await tx.insertInto('membership').values({ user_id: 'no', account_id: 'none' }).execute()
    })
    const waiting = ['a', 'b', 'c'].map((id) =>
      engine.db.transaction().execute((tx) => addAccount({ ...engine, db: tx }, id)),
    )
    expect(await failureOf(late)).toMatch(/foreign key/i)
    await Promise.all(waiting)
    expect(await accountIds(engine)).toEqual(['a', 'b', 'c'])
    expect(await engine.db.selectFrom('membership').selectAll().execute()).toEqual([])
  })
})

/** Defers the check of references to the commit. */
async function deferReferences({ kind, db }: Engine): Promise<void> {
  if (kind === 'sqlite') {
    await sql`PRAGMA defer_foreign_keys = ON`.execute(db)
    return
  }
  const constraints = ['membership_user_id_fkey', 'membership_account_id_fkey']
  for (const name of constraints) {
    await sql
      .raw(`ALTER TABLE membership ALTER CONSTRAINT ${name} DEFERRABLE INITIALLY DEFERRED`)
      .execute(db)
  }
}
