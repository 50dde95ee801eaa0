import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openAccountDirectory } from '../../../src/accounts/account-directory.ts'
import { createUser } from '../../../src/accounts/create-user.ts'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { openKeyDirectory } from '../../../src/keys/key-directory.ts'
import { createKey, updateKey } from '../../../src/keys/key-store.ts'
import { mintKeyValue } from '../../../src/keys/key-value.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, changesBy, nowMs, plainKey, tools } from '../../support/store/row-helpers.ts'

/*
 * A replica of the version before budgets, owners and rate limits (migrations 0020 to 0030) reads and changes keys
 * beside the present one. These are its statements.
 */
const formerLast = '0019-findings'
const { vault, random } = tools

function formerKeys({ db }: Engine) {
  /** The statement with which this version authenticates a request. */
  const find = async (value: string) => {
    const { rows } = await sql<Record<string, unknown>>`SELECT id, account_id, name, groups, models,
      addresses, expires_at, enabled FROM api_key WHERE value_hash = ${vault.lookupHash(value)}`.execute(
      db,
    )
    return rows[0]
  }
  return {
    find,
    hasImported: async () =>
      (await sql`SELECT id FROM api_key WHERE imported = 1 LIMIT 1`.execute(db)).rows.length > 0,
    account: async (id: string) =>
      (await sql`SELECT id, status, ends_at FROM account WHERE id = ${id}`.execute(db)).rows[0],
    create: async (id: string) => {
      const value = mintKeyValue(random)
      await sql`INSERT INTO api_key (id, value_hash, value_sealed, value_hint, imported, account_id,
          name, groups, models, quota_nano, expires_at, addresses, enabled, available_nano, spent_nano,
          created_at)
        VALUES (${id}, ${vault.lookupHash(value)}, ${vault.seal(value, 'api key')}, 'hint', 0, 'acme',
          'former', '["default"]', NULL, 500, NULL, NULL, 1, 500, 0, 1)`.execute(db)
      return value
    },
    update: async (id: string, name: string, quotaNano: number) => {
      await sql`UPDATE api_key SET name = ${name}, groups = '["default"]', models = NULL,
        expires_at = NULL, addresses = NULL, enabled = 1, deleted_at = NULL WHERE id = ${id}`.execute(
        db,
      )
      await sql`UPDATE api_key SET available_nano = available_nano + ${quotaNano} - quota_nano,
        quota_nano = ${quotaNano} WHERE id = ${id}`.execute(db)
    },
    rotate: async (id: string) => {
      const value = mintKeyValue(random)
      await sql`UPDATE api_key SET value_hash = ${vault.lookupHash(value)},
        value_sealed = ${vault.seal(value, 'api key')}, value_hint = 'hint', imported = 0,
        deleted_at = NULL WHERE id = ${id}`.execute(db)
      return value
    },
    disable: (id: string) => sql`UPDATE api_key SET enabled = 0 WHERE id = ${id}`.execute(db),
    remove: (id: string) =>
      sql`UPDATE api_key SET enabled = 0, deleted_at = 5, value_hash = ${`deleted ${id}`},
        value_sealed = '', value_hint = '', imported = 0
        WHERE id = ${id} AND deleted_at IS NULL`.execute(db),
  }
}

describe.each(engineFixtures('former-keys'))('a replica before 0020 on $kind', (fixture) => {
  async function open() {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    const userId = await write(engine, nowMs, async (writing) => {
      const made = { email: 'ann@example.com', role: 'member', proof: 'operator' } as const
      const id = await createUser(writing, { random, nowMs }, made)
      await putMember(writing, { userId: id, accountId: 'acme', requestsPerMinute: 7 })
      return id
    })
    const find = async (value: string) => (await openKeyDirectory(engine, vault)).find(value)
    return { engine, userId, find, former: formerKeys(engine) }
  }

  test('finds each table and column as it knows them, and may leave out what was added', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const last = migrations.findIndex(({ id }) => id === formerLast)
    await migrate(engine, migrations.slice(0, last + 1), 1)
    const before = await engine.db.introspection.getTables()
    await migrate(engine, migrations, 2)
    const after = new Map(
      (await engine.db.introspection.getTables()).map(({ name, columns }) => [name, columns]),
    )
    expect(before.length).toBeGreaterThan(20)
    for (const { name, columns } of before) {
      const present = after.get(name) ?? []
      for (const column of columns) expect(present).toContainEqual(column)
      const known = new Set(columns.map((column) => column.name))
      const needed = present.filter(
        (each) => !known.has(each.name) && !each.isNullable && !each.hasDefaultValue,
      )
      expect([name, needed.map((each) => each.name)]).toEqual([name, []])
    }
  })

  test('authenticates keys with owners, budgets, limits and a priority, and accounts with limits', async () => {
    const { engine, userId, former } = await open()
    const limits = {
      dailyNano: 100n,
      requestsPerMinute: 3,
      tokensPerMinute: 4,
      priority: 'high' as const,
    }
    const { value } = await write(engine, nowMs, (writing) =>
      createKey(writing, tools, { ...plainKey, ...limits, ownerId: userId }, { id: 'k' }),
    )
    expect(await former.find(value)).toEqual({
      id: 'k',
      account_id: 'acme',
      name: 'laptop',
      groups: JSON.stringify(plainKey.groups),
      models: null,
      addresses: null,
      expires_at: null,
      enabled: 1,
    })
    expect(await former.hasImported()).toBe(false)
    expect(await former.account('acme')).toEqual({ id: 'acme', status: 'active', ends_at: null })
  })

  test('gets each change of a key under the topic that it knows', async () => {
    const { engine, userId } = await open()
    await write(engine, nowMs, (writing) =>
      createKey(writing, tools, { ...plainKey, ownerId: userId }, { id: 'k' }),
    )
    const keyChanges = async (work: Parameters<typeof changesBy>[1]) =>
      (await changesBy(engine, work)).filter(({ topic }) => topic === 'key')
    const limited = { ...plainKey, ownerId: userId, requestsPerMinute: 1, isEnabled: false }
    expect(await keyChanges((w) => updateKey(w, 'k', limited))).toMatchObject([{ subject: 'k' }])
    const leaving = { userId, accountId: 'acme' }
    expect(await keyChanges((w) => removeMember(w, leaving))).toMatchObject([{ subject: 'k' }])
  })

  test('does not accept the key of a member who has left', async () => {
    const { engine, userId, former, find } = await open()
    const { value } = await write(engine, nowMs, (writing) =>
      createKey(writing, tools, { ...plainKey, ownerId: userId }, { id: 'k' }),
    )
    expect(await former.find(value)).toMatchObject({ enabled: 1 })
    await write(engine, nowMs, (w) => removeMember(w, { userId, accountId: 'acme' }))
    expect(await former.find(value)).toBeUndefined()
    // This version can give the key a new value; the present version still refuses the key.
    const again = await former.rotate('k')
    expect((await find(again))?.isEnabled ?? false).toBe(false)
  })

  test('creates a key that the present version serves as a service key without limits', async () => {
    const { engine, former, find } = await open()
    const value = await former.create('made')
    expect(await find(value)).toMatchObject({
      id: 'made',
      isEnabled: true,
      ownerUserId: undefined,
      limits: undefined,
      modelLimits: undefined,
      memberLimits: undefined,
      priority: undefined,
    })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('changes a key without touching its owner, limits and budgets', async () => {
    const { engine, userId, former, find } = await open()
    const kept = { requestsPerMinute: 3, dailyNano: 100n, quotaNano: 500n, ownerId: userId }
    const { value } = await write(engine, nowMs, (writing) =>
      createKey(writing, tools, { ...plainKey, ...kept }, { id: 'k' }),
    )
    const row = () =>
      engine.db.selectFrom('api_key').selectAll().where('id', '=', 'k').executeTakeFirstOrThrow()
    const before = await row()
    await former.update('k', 'renamed', 900)
    expect<unknown>(await row()).toEqual({
      ...before,
      name: 'renamed',
      groups: '["default"]',
      quota_nano: 900n,
      available_nano: 900n,
      // Generated from the name.
      search_text: expect.any(String),
    })
    expect(await findImbalances(engine)).toEqual([])
    const limits = { values: { requestsPerMinute: 3 } }
    const memberLimits = { values: { requestsPerMinute: 7 } }
    expect(await find(value)).toMatchObject({
      name: 'renamed',
      isEnabled: true,
      limits,
      memberLimits,
    })
    const rotated = await former.rotate('k')
    expect(await find(value)).toBeUndefined()
    expect(await find(rotated)).toMatchObject({ id: 'k', ownerUserId: userId, limits })
    await former.disable('k')
    expect(await find(rotated)).toMatchObject({ isEnabled: false })
    await former.remove('k')
    expect(await find(rotated)).toBeUndefined()
  })

  test('reads the account of a request beside limits that it does not know', async () => {
    const { engine, former } = await open()
    await sql`UPDATE account SET status = 'suspended', requests_per_minute = 4 WHERE id = 'acme'`.execute(
      engine.db,
    )
    expect(await former.account('acme')).toMatchObject({ status: 'suspended' })
    const present = await openAccountDirectory(engine).find('acme')
    expect(present).toMatchObject({
      isSuspended: true,
      limits: { values: { requestsPerMinute: 4 } },
    })
  })
})
