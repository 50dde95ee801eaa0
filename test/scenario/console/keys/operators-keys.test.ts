import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ErrorAnswer, KeyRow, KeyWithValue } from '../../../../src/console-api/contract.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { type OwnerFixture, openOwnerFixture } from './key-owner-fixture.ts'

/*
 * A personal key of an operator. Operators have the rights of an owner in every account, but like everybody else they
 * use a key of their own only as a member: a new value would not work.
 */

const key = '/console/api/keys/key_ann'
let fixture: OwnerFixture
let cookie: string

beforeAll(async () => {
  fixture = await openOwnerFixture()
  cookie = await fixture.signIn('u_root')
})
afterAll(() => fixture.close())

describe.each([
  ['no member', undefined],
  ['a viewer', 'viewer'],
  ['a member', 'member'],
] as const)('an operator who is %s of the account', (_name, role) => {
  const mayUse = role === 'member'

  beforeEach(async () => {
    const { db } = fixture.engine
    await fixture.resetKeys()
    const place = { user_id: 'u_root', account_id: 'acme' }
    await db.deleteFrom('membership').where('user_id', '=', place.user_id).execute()
    if (role)
      await db
        .insertInto('membership')
        .values({ ...place, role })
        .execute()
    const lost = { value_hash: 'stopped key_ann', value_sealed: '', value_hint: '', stopped: 1 }
    await db
      .updateTable('api_key')
      .set({ owner_user_id: place.user_id, ...lost })
      .where('id', '=', 'key_ann')
      .execute()
  })

  test('gets a new value for a stopped key only if the value would work', async () => {
    const response = await fixture.post(`${key}/rotate`, { cookie })
    expect(response.status).toBe(mayUse ? 200 : 409)
    if (mayUse) return
    expect((await readJson<ErrorAnswer>(response)).error.detail).toBe('owner_not_member')
    expect(await fixture.rowOf('key_ann')).toMatchObject({ stopped: 1, value_sealed: '' })
  })

  test('can convert the stopped key', async () => {
    const made = await readJson<KeyWithValue>(fixture.post(`${key}/convert`, { cookie }))
    expect(made.key).toMatchObject({ ownerId: null, state: 'active' } satisfies Partial<KeyRow>)
  })
})
