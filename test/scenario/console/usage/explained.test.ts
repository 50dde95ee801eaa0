import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OverviewAnswer, UsageAnswer } from '../../../../src/console-api/contract.ts'
import { newRequestId } from '../../../../src/core/id.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const api = '/console/api'

describe('explained requests on SQLite', () => explainedTests())
if (postgresServerUrl('explained requests on Postgres') !== undefined) {
  describe('explained requests on Postgres', () => explainedTests(freshDatabase))
}

/** An explained request has a word in the column of the reason, but has not failed. */
function explainedTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let explainedId: string

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    const { db } = fixture.engine
    const row = await db
      .selectFrom('usage_row')
      .selectAll()
      .where('account_id', '=', 'acme')
      .where('reason', 'is', null)
      .limit(1)
      .executeTakeFirstOrThrow()
    const at = fixture.nowMs()
    explainedId = newRequestId(at)
    await db
      .insertInto('usage_row')
      .values({ ...row, request_id: explainedId, at, reason: 'explained' })
      .execute()
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function idsWith(userId: string, status: string): Promise<string[]> {
    const cookie = await fixture.signIn(userId)
    const path = `${api}/usage?status=${status}`
    const { rows } = await readJson<UsageAnswer>(fixture.get(path, { cookie }))
    return rows.map((row) => row.requestId)
  }

  test.each(['u_owen', 'u_root'])('are not among the failures that %s sees', async (userId) => {
    const failed = await idsWith(userId, 'error')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed).not.toContain(explainedId)
    expect(await idsWith(userId, 'ok')).toContain(explainedId)
    expect(await idsWith(userId, '200')).toContain(explainedId)
  })

  test.each(['u_owen', 'u_root'])('are not on the overview of %s as failures', async (userId) => {
    const cookie = await fixture.signIn(userId)
    const path = `${api}/overview?period=30d`
    const { failures } = await readJson<OverviewAnswer>(fixture.get(path, { cookie }))
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.map((row) => row.requestId)).not.toContain(explainedId)
  })
}
