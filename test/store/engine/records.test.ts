import { describe, expect, test } from 'bun:test'
import { inOrder, rowShape, type Shape, type ShapedRecord } from '../../../src/store/units/shape.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { ownFacts } from './own-facts.ts'

const factShape: Shape = {
  name: 'fact-1',
  statements: [
    {
      sql: 'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
      from: inOrder(2),
    },
    {
      sql: "INSERT INTO fact (name, value) VALUES (?, 'once')",
      from: [2],
      when: [[0, 'changed']],
    },
  ],
}

function textOf(...records: ShapedRecord[]): string {
  return JSON.stringify(records)
}

describe.each(sharedFixtures('records'))('records on $kind', (fixture) => {
  test('each record fills the parameters of its shape; conditions work as in units', async () => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes([factShape])
    await engine.applyRecords([
      textOf(['fact-1', 'a', 'A 😀', 'of a'], ['fact-1', 'b', 'B', 'of b']),
      textOf(['fact-1', 'a', 'not again', 'not written']),
      textOf(),
    ])
    expect(await ownFacts(engine)).toEqual({ a: 'A 😀', b: 'B', 'of a': 'once', 'of b': 'once' })
  })

  test('applying the same text again changes nothing', async () => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes([factShape])
    const text = textOf(['fact-1', 'a', 'A', 'of a'])
    await engine.applyRecords([text])
    await engine.applyRecords([text, text])
    expect(await ownFacts(engine)).toEqual({ a: 'A', 'of a': 'once' })
  })

  test('the write order does not change the result', async () => {
    const engine = await fixture.openMigrated()
    const ordered: Shape = {
      ...rowShape('fact-2', { table: 'fact', unique: ['name'], columns: ['name', 'value'] }),
      writtenBy: 1,
    }
    await engine.defineShapes([factShape, ordered])
    await engine.applyRecords([
      textOf(['fact-2', 'c', '2'], ['fact-2', 'a', '1'], ['fact-1', 'd', 'D', 'of d']),
      textOf(['fact-2', 'b', '3'], ['fact-2', 'e', '1'], ['fact-2', 'a', '1']),
      textOf(['fact-2', 'f', '0'], ['fact-2', 'e', '1']),
    ])
    expect(await ownFacts(engine)).toEqual({
      a: '1',
      b: '3',
      c: '2',
      d: 'D',
      e: '1',
      f: '0',
      'of d': 'once',
    })
  })

  test('all texts are applied or none', async () => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes([factShape])
    const good = textOf(['fact-1', 'a', 'A', 'of a'])
    const clashing = textOf(['fact-1', 'b', 'B', 'of a'])
    expect(await failureOf(engine.applyRecords([good, clashing]))).toMatch(/unique/i)
    expect(await failureOf(engine.applyRecords([good, textOf(['unknown-1'])]))).toContain(
      'records of shape unknown-1 are not known',
    )
    expect(await ownFacts(engine)).toEqual({})
    await engine.applyRecords([good])
    expect(await ownFacts(engine)).toEqual({ a: 'A', 'of a': 'once' })
  })
})
