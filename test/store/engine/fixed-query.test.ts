import { describe, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { fixedQuery } from '../../../src/store/rows/fixed-query.ts'
import type { Tables } from '../../../src/store/tables/tables.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'

type Search = { readonly name: string; readonly sinceMs: number }

let builds = 0

/** A literal between the values, one value twice, and not in the order of the members. */
function buildSearch(db: Kysely<Tables>, { name, sinceMs }: Search) {
  builds += 1
  return db
    .selectFrom('account')
    .select(['id', 'name', 'available_nano', 'ends_at'])
    .where('created_at', '>=', sinceMs)
    .where('status', '=', 'active')
    .where(({ or, eb }) => or([eb('name', '=', name), eb('id', '=', name)]))
    .orderBy('id')
}

const search = fixedQuery(buildSearch)

const quotes = `' OR '1'='1`
const fixtures = engineFixtures('fixed queries')

async function addAccounts({ db }: Pick<Engine, 'db'>, names: readonly string[]): Promise<void> {
  const rows = names.map((name, index) => ({
    id: `a${index}`,
    name,
    status: name === 'closed' ? 'closed' : 'active',
    ends_at: index % 2 === 0 ? null : 9,
    available_nano: 2n ** 60n + BigInt(index),
    created_at: index,
  }))
  await db.insertInto('account').values(rows).execute()
}

async function idsIn({ db }: Pick<Engine, 'db'>, name: string): Promise<string[]> {
  return (await search(db, { name, sinceMs: 0 })).map((row) => row.id)
}

describe.each(fixtures)('fixed queries on $kind', (fixture) => {
  const searches: [Search, number][] = [
    [{ name: 'same', sinceMs: 0 }, 2],
    [{ name: 'same', sinceMs: 1 }, 1],
    [{ name: 'same', sinceMs: 2 ** 40 }, 0],
    [{ name: 'a2', sinceMs: 0 }, 1],
    [{ name: 'closed', sinceMs: 0 }, 0],
    [{ name: 'nobody', sinceMs: 0 }, 0],
    [{ name: '', sinceMs: 0 }, 1],
    [{ name: quotes, sinceMs: 0 }, 1],
    [{ name: '$1', sinceMs: 0 }, 0],
    [{ name: '?', sinceMs: 0 }, 0],
  ]

  test('rows are those of the query that is built anew, and it is built once', async () => {
    const engine = await fixture.openMigrated()
    await addAccounts(engine, ['same', 'same', 'other', 'closed', quotes, ''])
    for (const [values, count] of searches) {
      const before = builds
      const rows = await search(engine.db, values)
      expect(builds - before).toBe(values === searches[0]?.[0] ? 1 : 0)
      expect(rows).toHaveLength(count)
      expect(rows).toEqual(await buildSearch(engine.db, values).execute())
    }
  })

  test('queries at the same time keep their own values', async () => {
    const engine = await fixture.openMigrated()
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`)
    await addAccounts(engine, names)
    const found = await Promise.all(names.map((name) => idsIn(engine, name)))
    expect(found).toEqual(names.map((_, index) => [`a${index}`]))
  })

  test('a transaction sees its own rows, nobody else does, and a rollback removes them', async () => {
    const engine = await fixture.openMigrated()
    const work = engine.db.transaction().execute(async (tx) => {
      await addAccounts({ db: tx }, ['new'])
      expect(await idsIn({ db: tx }, 'new')).toEqual(['a0'])
      expect(await idsIn(engine, 'new')).toEqual([])
      throw new Error('rolled back')
    })
    expect(await failureOf(work)).toBe('rolled back')
    expect(await idsIn(engine, 'new')).toEqual([])
  })

  test('a plugin sees every query, and others do not get what it changes', async () => {
    const engine = await fixture.openMigrated()
    await addAccounts(engine, ['same', 'same'])
    let seen = 0
    const db = engine.db.withPlugin({
      transformQuery: ({ node }) => {
        seen += 1
        if (node.kind !== 'SelectQueryNode') return node
        const { where: _, ...all } = node
        return all
      },
      transformResult: async ({ result }) => result,
    })
    for (const count of [1, 2]) {
      expect(await idsIn({ db }, 'nobody')).toEqual(['a0', 'a1'])
      expect(await db.transaction().execute((tx) => idsIn({ db: tx }, 'nobody'))).toHaveLength(2)
      expect(seen).toBe(count * 2)
      expect(await idsIn(engine, 'nobody')).toEqual([])
    }
  })

  test('a failure of the database is reported, and the next query runs', async () => {
    const engine = await fixture.openMigrated()
    await addAccounts(engine, ['same'])
    await engine.db.schema.alterTable('account').renameTo('elsewhere').execute()
    expect(await failureOf(idsIn(engine, 'same'))).toContain('account')
    await engine.db.schema.alterTable('elsewhere').renameTo('account').execute()
    expect(await idsIn(engine, 'same')).toEqual(['a0'])
  })
})

test('databases of one process, of both engines, do not mix', async () => {
  const engines: Engine[] = []
  for (const fixture of fixtures) {
    for (const url of [await fixture.migratedUrl(), await fixture.migratedUrl()]) {
      const engine = await fixture.open(url)
      await migrate(engine, migrations, 1)
      engines.push(engine)
    }
  }
  for (const [index, engine] of engines.entries()) await addAccounts(engine, [`only in ${index}`])
  for (const [index, engine] of engines.entries()) {
    for (const other of engines.keys()) {
      const found = await idsIn(engine, `only in ${other}`)
      expect([index, other, found]).toEqual([index, other, other === index ? ['a0'] : []])
    }
  }
})

test('a value cannot get into the text or into a calculation while the query is built', async () => {
  const [fixture] = fixtures
  const engine = await fixture?.openMigrated()
  if (!engine) throw new Error('no engine')
  const builders: ((db: Kysely<Tables>, values: Search) => ReturnType<typeof buildSearch>)[] = [
    (db, { name, sinceMs }) => buildSearch(db, { name: `${name}!`, sinceMs }),
    (db, { name, sinceMs }) => buildSearch(db, { name, sinceMs: sinceMs - 1 }),
    (db, { name, sinceMs }) => buildSearch(db, { name: sinceMs > 0 ? name : '', sinceMs }),
  ]
  for (const build of builders) {
    const failure = await failureOf(fixedQuery(build)(engine.db, { name: 'a0', sinceMs: 0 }))
    expect(failure).toContain('but not calculate with it')
  }
})
