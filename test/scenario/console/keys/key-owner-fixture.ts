import type { Selectable } from 'kysely'
import { systemRandom } from '../../../../src/core/id.ts'
import { keyHint } from '../../../../src/core/text/secret-hint.ts'
import { sealPurpose } from '../../../../src/keys/key-store.ts'
import { mintKeyValue } from '../../../../src/keys/key-value.ts'
import type { Tables } from '../../../../src/store/tables/tables.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { addRequest } from '../../../support/console/console-seed.ts'

/** The keys of the fixture: those of people in acme, and a service key of the seed. */
const owners = {
  key_ann: 'u_ann',
  key_amy: 'u_amy',
  key_owen: 'u_owen',
  key_ivy: 'u_ivy',
  key_vera: 'u_vera',
  key_left: 'u_left',
} as const
export type PersonalKey = keyof typeof owners
export const serviceKey = 'key_a1'
export const nameOf = (key: string) => `Name of ${key}`
export const modelOf = (key: string) => `model-of-${key}`

export interface OwnerFixture extends ConsoleFixture {
  readonly values: ReadonlyMap<string, string>
  /** The request of each key. */
  readonly requests: ReadonlyMap<string, { readonly requestId: string; readonly costNano: bigint }>
  /** A key as the database has it. */
  rowOf(keyId: string): Promise<Selectable<Tables['api_key']>>
  /** Resets all keys to their initial state. */
  resetKeys(): Promise<void>
}

/**
 * In acme: Owen owns the account; Ann and Amy are members; Vera is a viewer who was a member before; Ivy is invited and
 * not verified; Lee has left. Bob belongs to another account, and root is an operator.
 */
export async function openOwnerFixture(
  databaseUrl?: string,
  options: Parameters<typeof openConsoleFixture>[0] = {},
): Promise<OwnerFixture> {
  const fixture = await openConsoleFixture({
    ...options,
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  const { db } = fixture.engine
  const person = { password_hash: null, role: 'member', created_at: 1 }
  await db
    .insertInto('console_user')
    .values([
      { ...person, id: 'u_amy', email: 'amy@example.com' },
      { ...person, id: 'u_left', email: 'lee@example.com' },
      {
        ...person,
        id: 'u_ivy',
        email: 'ivy@example.com u_ivy',
        invited_email: 'ivy@example.com',
        invited_to: 'acme',
      },
    ])
    .execute()
  await db
    .insertInto('membership')
    .values([
      { user_id: 'u_amy', account_id: 'acme', role: 'member' },
      { user_id: 'u_ivy', account_id: 'acme', role: 'owner' },
    ])
    .execute()
  const ids = Object.keys(owners) as PersonalKey[]
  const values = new Map([...ids, serviceKey].map((id) => [id, mintKeyValue(systemRandom)]))
  const put = async (id: string, ownerId: string | null) => {
    const value = values.get(id) ?? ''
    const isStopped = id === 'key_left'
    const row = {
      account_id: 'acme',
      name: nameOf(id),
      value_hash: isStopped ? `stopped ${id}` : fixture.vault.lookupHash(value),
      value_sealed: isStopped ? '' : fixture.vault.seal(value, sealPurpose),
      value_hint: isStopped ? '' : keyHint(value),
      imported: 0,
      groups: '["default"]',
      models: null,
      addresses: null,
      quota_nano: null,
      available_nano: null,
      spent_nano: 0n,
      expires_at: null,
      enabled: 1,
      created_at: 5,
      deleted_at: null,
      owner_user_id: ownerId,
      stopped: isStopped ? 1 : 0,
      locked: 0,
    }
    await db
      .insertInto('api_key')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }
  const resetKeys = async () => {
    // No key gets an owner again after it has become a service key, except here.
    await db.deleteFrom('former_key_owner').execute()
    for (const id of ids) await put(id, owners[id])
    await put(serviceKey, null)
  }
  await resetKeys()
  const requests = new Map<string, { requestId: string; costNano: bigint }>()
  for (const [place, keyId] of ids.entries()) {
    const at = fixture.nowMs() - (place + 2) * 60_000
    const seed = { at, accountId: 'acme', keyId, age: 9 * (place + 2), model: modelOf(keyId) }
    requests.set(keyId, await addRequest(fixture.engine, seed))
  }
  const rowOf = (keyId: string) =>
    db.selectFrom('api_key').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  return { ...fixture, values, requests, rowOf, resetKeys }
}
