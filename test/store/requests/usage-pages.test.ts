import { describe, expect, test } from 'bun:test'
import { readUsagePage } from '../../../src/console-api/handlers/usage/list-usage-rows.ts'
import { newRequestId } from '../../../src/core/id.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { readUsageQuery } from '../../support/store/read-usage-query.ts'
import { usageRow } from '../../support/usage-row.ts'

const startMs = 1_790_000_000_000

/** Rows of two accounts in turn, one per millisecond; `modelOf` gives the model of each. */
async function fillLog(
  { db }: Engine,
  count: number,
  modelOf: (number: number) => string,
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, number) => ({
    ...usageRow,
    request_id: newRequestId(startMs + number),
    at: startMs + number,
    account_id: number % 2 === 0 ? 'even' : 'odd',
    model: modelOf(number),
  }))
  for (let at = 0; at < count; at += 1_000) {
    await db
      .insertInto('usage_row')
      .values(rows.slice(at, at + 1_000))
      .execute()
  }
  return rows.map((row) => row.request_id)
}

async function readAll(engine: Engine, accountIds: string[], filter: string) {
  const pages: string[][] = []
  for (let before: string | null = ''; before !== null; ) {
    const query: URLSearchParams = new URLSearchParams(`${filter}&before=${before}`)
    const page = await readUsagePage(engine, { accountIds }, readUsageQuery(query))
    pages.push(page.rows.map((row) => row.requestId))
    before = page.next
  }
  return pages
}

describe.each(sharedFixtures('usage pages'))('pages of the request log on $kind', (fixture) => {
  test('a filter with few matches reads a limited part of the log per page and misses no row', async () => {
    const engine = await fixture.openMigrated()
    const rare = new Set([0, 1, 7_777, 11_998, 11_999])
    const ids = await fillLog(engine, 12_000, (number) => (rare.has(number) ? 'rare' : 'usual'))
    const expected = ids.filter((_, number) => rare.has(number)).reverse()
    const pages = await readAll(engine, ['even', 'odd'], 'model=rare')
    expect(pages.flat()).toEqual(expected)
    expect(pages.length).toBeGreaterThan(1)
    const none = await readAll(engine, ['even', 'odd'], 'model=none')
    expect(none.every((page) => page.length === 0)).toBe(true)
    expect(none.length).toBeLessThan(6)
    const all = await readAll(engine, ['even'], 'key=&model=usual')
    expect(all.flat()).toHaveLength(6_000 - 2)
    expect(all.slice(0, -1).every((page) => page.length === 50 || page.length === 0)).toBe(true)
  })
})
