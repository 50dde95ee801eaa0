import { describe, expect, test } from 'bun:test'
import { type Engine, TransientStoreError, type Unit } from '../../../src/store/engine.ts'
import {
  GroupCommit,
  GroupCommitFull,
  type GroupCommitLimits,
} from '../../../src/store/units/group-commit.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { ownFacts } from './own-facts.ts'

const limits: GroupCommitLimits = { unitsPerBatchMax: 4, unitsWaitingMax: 10, triesMax: 3 }

function insert(name: string): Unit {
  return {
    statements: [{ sql: 'INSERT INTO fact (name, value) VALUES (?, ?)', values: [name, 'v'] }],
  }
}

/** The engine with a list of its batches; the first `failures` of them fail like a lost connection. */
function watched(engine: Engine, failures = 0) {
  const batches: number[] = []
  let left = failures
  const runUnits: Engine['runUnits'] = async (units) => {
    batches.push(units.length)
    if (left > 0) {
      left -= 1
      throw new TransientStoreError('try again')
    }
    return engine.runUnits(units)
  }
  return { engine: { ...engine, runUnits }, batches }
}

async function factNames(engine: Engine): Promise<string[]> {
  return Object.keys(await ownFacts(engine))
}

describe.each(engineFixtures('group commit'))('group commit on $kind', (fixture) => {
  test('units that arrive together are committed in batches, each with its own result', async () => {
    const engine = await fixture.openMigrated()
    const { engine: seen, batches } = watched(engine)
    const commits = new GroupCommit(seen, limits)
    const results = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((n) => commits.run(insert(n))),
    )
    expect(batches).toEqual([4, 2])
    expect(results.map((result) => result[0]?.changes)).toEqual([1, 1, 1, 1, 1, 1])
    expect(await factNames(engine)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  test('units run in the order in which they were added', async () => {
    const engine = await fixture.openMigrated()
    const commits = new GroupCommit(engine, limits)
    await commits.run(insert('a'))
    const sql = "UPDATE fact SET value = value || ? WHERE name = 'a'"
    const letters = '0123456789'.split('')
    await Promise.all(letters.map((each) => commits.run({ statements: [{ sql, values: [each] }] })))
    expect(await ownFacts(engine)).toEqual({ a: 'v0123456789' })
  })

  test('a failing unit does not fail the others', async () => {
    const engine = await fixture.openMigrated()
    const commits = new GroupCommit(engine, limits)
    const bad: Unit = { statements: [{ sql: 'INSERT INTO nowhere VALUES (?)', values: [1] }] }
    const outcomes = await Promise.allSettled([
      commits.run(insert('a')),
      commits.run(bad),
      commits.run(insert('b')),
      commits.run(insert('a')),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(await factNames(engine)).toEqual(['a', 'b'])
  })

  test('beyond the limit of waiting units, new units are rejected until there is room again', async () => {
    const engine = await fixture.openMigrated()
    const commits = new GroupCommit(engine, limits)
    const taken = Array.from({ length: 10 }, (_, index) => commits.run(insert(`a${index}`)))
    const refused = await commits.run(insert('too many')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(GroupCommitFull)
    await Promise.all(taken)
    await commits.run(insert('later'))
    const names = await factNames(engine)
    expect(names).toHaveLength(11)
    expect(names).not.toContain('too many')
  })

  test('a transient failure is retried, and nothing is written twice', async () => {
    const engine = await fixture.openMigrated()
    const { engine: flaky, batches } = watched(engine, 2)
    const commits = new GroupCommit(flaky, limits)
    await Promise.all([commits.run(insert('a')), commits.run(insert('b'))])
    expect(batches).toEqual([2, 2, 2])
    expect(await factNames(engine)).toEqual(['a', 'b'])
  })

  test('a lasting failure reaches every unit, and the next unit is tried again', async () => {
    const engine = await fixture.openMigrated()
    const { engine: down } = watched(engine, 9)
    const commits = new GroupCommit(down, limits)
    const outcomes = await Promise.allSettled([commits.run(insert('a')), commits.run(insert('b'))])
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected'])
    await commits.run(insert('c'))
    expect(await factNames(engine)).toEqual(['c'])
  })

  test('settled waits for all earlier units and for those added in the meantime', async () => {
    const engine = await fixture.openMigrated()
    const commits = new GroupCommit(engine, limits)
    await commits.settled()
    void commits.run(insert('a')).then(() => commits.run(insert('b')))
    await commits.settled()
    expect(await factNames(engine)).toEqual(['a', 'b'])
  })
})
