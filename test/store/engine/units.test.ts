import { describe, expect, test } from 'bun:test'
import type { Unit } from '../../../src/store/engine.ts'
import type { SqlStatement } from '../../../src/store/units/sql-statement.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { ownFacts } from './own-facts.ts'

const insertFact = 'INSERT INTO fact (name, value) VALUES (?, ?)'
const insertOnce = `${insertFact} ON CONFLICT (name) DO NOTHING`
const updateFact = 'UPDATE fact SET value = ? WHERE name = ?'

function insert(name: string, value = 'v'): SqlStatement {
  return { sql: insertFact, values: [name, value] }
}

function unit(...statements: SqlStatement[]): Unit {
  return { statements }
}

describe.each(sharedFixtures('units'))('units on $kind', (fixture) => {
  test('statements run in order and return the number of changed rows', async () => {
    const engine = await fixture.openMigrated()
    const [result] = await engine.runUnits([
      unit(
        insert('a'),
        { sql: updateFact, values: ['w', 'a'] },
        { sql: updateFact, values: ['w', 'nobody'] },
        { sql: insertOnce, values: ['a', 'x'] },
      ),
    ])
    expect(result?.map((each) => each?.changes)).toEqual([1, 1, 0, 0])
    expect(await ownFacts(engine)).toEqual({ a: 'w' })
  })

  test('a statement runs only when its conditions hold', async () => {
    const engine = await fixture.openMigrated()
    await engine.runUnits([unit(insert('a'))])
    const [result] = await engine.runUnits([
      unit(
        { sql: insertOnce, values: ['a', 'again'] },
        { ...insert('if-unchanged'), when: [[0, 'unchanged']] },
        { ...insert('if-changed'), when: [[0, 'changed']] },
        { ...insert('after-not-run'), when: [[2, 'changed']] },
        { ...insert('after-not-run-either'), when: [[2, 'unchanged']] },
        {
          ...insert('both'),
          when: [
            [0, 'unchanged'],
            [1, 'changed'],
          ],
        },
        {
          ...insert('one-of-two'),
          when: [
            [0, 'unchanged'],
            [1, 'unchanged'],
          ],
        },
      ),
    ])
    expect(result?.map((each) => each?.changes ?? null)).toEqual([0, 1, null, null, 1, 1, null])
    expect(Object.keys(await ownFacts(engine))).toEqual([
      'a',
      'after-not-run-either',
      'both',
      'if-unchanged',
    ])
  })

  test('all units are applied or none, whichever fails', async () => {
    const engine = await fixture.openMigrated()
    for (const bad of [0, 1, 2]) {
      const units = [0, 1, 2].map((index) =>
        index === bad ? unit(insert('x'), insert('x')) : unit(insert(`fine${index}`)),
      )
      expect(await failureOf(engine.runUnits(units))).toMatch(/unique/i)
    }
    expect(await ownFacts(engine)).toEqual({})
    await engine.runUnits([unit(insert('after'))])
    expect(await ownFacts(engine)).toEqual({ after: 'v' })
  })

  test('returned rows: money as bigints, the rest as numbers and text', async () => {
    const engine = await fixture.openMigrated()
    const big = 2n ** 62n + 1n
    const [result] = await engine.runUnits([
      unit(
        {
          sql: `INSERT INTO account (id, name, status, ends_at, available_nano, created_at)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING id, ends_at, available_nano, created_at`,
          values: ['a', 'Acme 😀', 'active', null, big, 1_790_000_000_123],
        },
        {
          sql: 'UPDATE account SET available_nano = available_nano - ? WHERE id = ? RETURNING available_nano',
          values: [big - 1n, 'a'],
        },
        { sql: 'SELECT name FROM account WHERE id = ?', values: ['a'] },
        { sql: 'SELECT name FROM account WHERE id = ?', values: ['nobody'] },
      ),
    ])
    expect(result).toEqual([
      {
        changes: 1,
        rows: [{ id: 'a', ends_at: null, available_nano: big, created_at: 1_790_000_000_123 }],
      },
      { changes: 1, rows: [{ available_nano: 1n }] },
      { changes: 1, rows: [{ name: 'Acme 😀' }] },
      { changes: 0, rows: [] },
    ])
  })

  test('an empty list of units succeeds', async () => {
    const engine = await fixture.openMigrated()
    expect(await engine.runUnits([])).toEqual([])
    expect(await engine.runUnits([unit()])).toEqual([[]])
  })

  test('invalid SQL fails its own units and does not affect later ones', async () => {
    const engine = await fixture.openMigrated()
    const bad = unit(insert('first'), { sql: 'INSERT INTO nowhere VALUES (?)', values: ['x'] })
    expect(await failureOf(engine.runUnits([bad]))).toMatch(/nowhere/)
    await engine.runUnits([unit({ sql: insertOnce, values: ['a', 'once'] })])
    await engine.runUnits([unit({ sql: updateFact, values: ['updated', 'a'] })])
    expect(await ownFacts(engine)).toEqual({ a: 'updated' })
    expect(await failureOf(engine.runUnits([bad]))).toMatch(/nowhere/)
  })

  test('two processes that lock the same rows in different orders do not deadlock', async () => {
    const [one, two] = await fixture.openTwo()
    for (const id of ['a', 'b']) {
      await one.runUnits([
        unit({
          sql: "INSERT INTO account (id, name, status, available_nano, created_at) VALUES (?, ?, 'active', 0, 1)",
          values: [id, id],
        }),
      ])
    }
    const add = (id: string): Unit => ({
      locks: { keyId: id, accountId: id },
      statements: [
        {
          sql: 'UPDATE account SET available_nano = available_nano + 1 WHERE id = ?',
          values: [id],
        },
      ],
    })
    const rounds = Array.from({ length: 20 }, () => [
      one.runUnits([add('a'), add('b')]),
      two.runUnits([add('b'), add('a')]),
    ])
    await Promise.all(rounds.flat())
    const rows = await two.db.selectFrom('account').select('available_nano').execute()
    expect(rows.map((row) => row.available_nano)).toEqual([40n, 40n])
  })
})
