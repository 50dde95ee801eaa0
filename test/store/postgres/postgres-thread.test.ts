import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TransientStoreError } from '../../../src/store/engine.ts'
import { PostgresThread } from '../../../src/store/postgres/postgres-thread.ts'
import { rowShape } from '../../../src/store/units/shape.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'

const factShape = rowShape('fact-1', {
  table: 'fact',
  columns: ['name', 'value'],
  unique: ['name'],
})

function textOf(name: string): string {
  return JSON.stringify([['fact-1', name, 'A']])
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('expected a failure, and there was none')
}

const fixtures = engineFixtures('the thread of Postgres').filter(({ kind }) => kind === 'postgres')

describe.each(fixtures)('the thread that ships records to $kind', (fixture) => {
  test.each(['error', 'exit'])(
    'after its death (%s) pending calls fail like a lost connection, and a new thread continues',
    async (end) => {
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'))
      const url = await fixture.freshUrl()
      const engine = await fixture.open(url)
      await engine.db.schema
        .createTable('fact')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text')
        .execute()
      process.env['TEST_THREAD_MARK'] = join(folder, `died-by-${end}`)
      const worker = new URL('./mortal-postgres-worker.ts', import.meta.url)
      const thread = new PostgresThread({ urls: [url], hasSessions: true }, undefined, worker.href)
      try {
        await thread.defineShapes([factShape])
        const both = [thread.applyRecords([textOf('a')]), thread.applyRecords([textOf('b')])]
        const errors = await Promise.all(both.map(errorOf))
        expect(errors.map((error) => error instanceof TransientStoreError)).toEqual([true, true])
        await thread.applyRecords([textOf('a'), textOf('b')])
        const rows = await engine.db.selectFrom('fact').select('name').orderBy('name').execute()
        expect(rows.map((row) => row.name)).toEqual(['a', 'b'])
      } finally {
        await thread.close()
        delete process.env['TEST_THREAD_MARK']
        rmSync(folder, { recursive: true })
      }
    },
  )

  test('a closed thread writes nothing, whether or not it was started', async () => {
    const url = await fixture.freshUrl()
    for (const isStarted of [true, false]) {
      const thread = new PostgresThread({ urls: [url], hasSessions: true })
      if (isStarted) await thread.applyRecords(['[]'])
      await thread.close()
      expect(await failureOf(thread.applyRecords(['[]']))).toMatch(/stopped|closed/)
    }
  })
})
