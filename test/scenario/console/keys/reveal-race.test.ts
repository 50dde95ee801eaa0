import { describe, expect, test } from 'bun:test'
import { removeMember } from '../../../../src/accounts/member-store.ts'
import type { RevealedKey } from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { makeServiceKey } from '../../../../src/keys/make-service-key.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { openOwnerFixture } from './key-owner-fixture.ts'

/**
 * Ann requests the value of her key. Before she gets the response, she is removed and the key becomes a service key.
 */
async function revealAndLeave(databaseUrl?: string): Promise<void> {
  let afterChange = async () => {}
  const fixture = await openOwnerFixture(databaseUrl, { afterChange: () => afterChange() })
  const tools = { vault: fixture.vault, random: systemRandom }
  const cookie = await fixture.signIn('u_ann')
  let converted = ''
  afterChange = async () => {
    afterChange = async () => {}
    converted = await write(fixture.engine, fixture.nowMs(), async (writing) => {
      await removeMember(writing, { userId: 'u_ann', accountId: 'acme' })
      return makeServiceKey(writing, tools, 'key_ann')
    })
  }
  const answer = await fixture.post('/console/api/keys/key_ann/reveal', { cookie })
  const { value } = await readJson<RevealedKey>(answer)
  expect(converted).not.toBe('')
  expect(value).not.toBe(converted)
  // The value that was hers when the access was recorded.
  expect(value).toBe(fixture.values.get('key_ann') ?? '')
  expect((await fixture.post('/console/api/keys/key_ann/reveal', { cookie })).status).toBe(404)
  await fixture.close()
}

describe('a member who leaves does not see the value that the account gets', () => {
  test('on SQLite', () => revealAndLeave())

  if (postgresServerUrl('revealing keys on Postgres') !== undefined) {
    test('on Postgres', async () => {
      const database = await freshDatabase()
      await revealAndLeave(database.url)
      await database.drop()
    })
  }
})
