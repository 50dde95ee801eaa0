import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { migrationNotes } from '../../../src/app/database/migration-notes.ts'
import type { ProvisionKey } from '../../../src/config/provision.ts'
import { deleteKey } from '../../../src/keys/delete-key.ts'
import { openKeyDirectory } from '../../../src/keys/key-directory.ts'
import { findKey } from '../../../src/keys/key-list.ts'
import { createKey, revealKey } from '../../../src/keys/key-store.ts'
import { rotateKeyValue } from '../../../src/keys/replace-key-value.ts'
import { exportProvision } from '../../../src/provision/export-provision.ts'
import { putKey } from '../../../src/provision/put-key.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { addAccount, nowMs, plainKey, tools } from '../../support/store/row-helpers.ts'

const fileValue = 'a-value-that-the-file-has-0123456789'

describe.each(engineFixtures('keys of users'))('keys of users on $kind', (fixture) => {
  async function open(): Promise<Engine> {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    for (const [id, role] of [
      ['u_ann', 'member'],
      ['u_vera', 'viewer'],
    ] as const) {
      await engine.db
        .insertInto('console_user')
        .values({ id, email: `${id}@x.org`, password_hash: null, role: 'member', created_at: 1 })
        .execute()
      const member = { userId: id, accountId: 'acme', role }
      await write(engine, nowMs, (writing) => putMember(writing, member))
    }
    return engine
  }
  const put = (engine: Engine, entry: Partial<ProvisionKey>) =>
    write(engine, nowMs, (writing) =>
      putKey(writing, tools, { ...plainKey, id: 'k', value: undefined, where: 'file:1', ...entry }),
    )
  const leave = (engine: Engine) =>
    write(engine, nowMs, (writing) => removeMember(writing, { userId: 'u_ann', accountId: 'acme' }))

  test('keys of an older version become service keys that work, and the operator is told', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const older = migrations.filter(({ id }) => id < '0021')
    await migrate(engine, older, 1)
    await sql`INSERT INTO account (id, name, available_nano, status, created_at)
      VALUES ('acme', 'Acme', 0, 'active', 1)`.execute(engine.db)
    const value = 'a-value-of-the-former-version-0123456789'
    const insert = (id: string, hash: string) =>
      sql`INSERT INTO api_key (id, account_id, name, value_hash, value_sealed, value_hint, imported,
        groups, spent_nano, enabled, created_at) VALUES (${id}, 'acme', 'old', ${hash}, 'sealed', 'hint',
        1, '["default"]', 0, 1, 1)`.execute(engine.db)
    await insert('old', tools.vault.lookupHash(value))
    const migrated = await migrate(engine, migrations, 2)
    const [note, ...others] = await migrationNotes(engine, migrated)
    expect(note).toContain('1 existing key is now a service key')
    expect(others).toEqual([])
    expect(await migrationNotes(engine, [])).toEqual([])
    const key = await findKey(engine.db, 'old')
    expect(key).toMatchObject({ ownerId: null, isRunning: true, isEnabled: true })
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(value)).toMatchObject({ id: 'old', isEnabled: true })
    // A replica of the former version does not know the new columns.
    await insert('older', 'hash of another value')
    expect(await findKey(engine.db, 'older')).toMatchObject({ ownerId: null, isRunning: true })
  })

  test('an empty database causes no message', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    expect(await migrationNotes(engine, await migrate(engine, migrations, 2))).toEqual([])
  })

  test('an owner in the file is a member, by email or id, and stays', async () => {
    const engine = await open()
    expect(await put(engine, { ownerId: 'U_ANN@x.org' })).toBe('created')
    expect(await findKey(engine.db, 'k')).toMatchObject({ ownerId: 'u_ann', isRunning: true })
    expect(await put(engine, { ownerId: 'u_ann' })).toBe('same')
    expect(await put(engine, { ownerId: null })).toBe('same')
    for (const ownerId of ['nobody@x.org', 'u_vera']) {
      expect(await failureOf(put(engine, { id: 'k2', ownerId }))).toContain(
        `has no member "${ownerId}" who can own the key "k2"`,
      )
    }
    await put(engine, { id: 'service' })
    expect(await failureOf(put(engine, { id: 'service', ownerId: 'u_ann' }))).toContain(
      'is a service key and cannot be given to "u_ann"',
    )
  })

  test('a value in the file does not come back after its owner has left', async () => {
    const engine = await open()
    await put(engine, { ownerId: 'u_ann', value: fileValue })
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(fileValue)).toMatchObject({ isEnabled: true })
    await leave(engine)
    await put(engine, { ownerId: 'u_ann', value: fileValue })
    const rejoin = { userId: 'u_ann', accountId: 'acme', role: 'member' } as const
    await write(engine, nowMs, (writing) => putMember(writing, rejoin))
    await put(engine, { ownerId: 'u_ann', value: fileValue })
    expect(await (await openKeyDirectory(engine, tools.vault)).find(fileValue)).toBeUndefined()
    expect(await revealKey(engine, tools.vault, 'k')).toBeUndefined()
    expect(await failureOf(put(engine, { id: 'other', value: fileValue }))).toContain(
      'belonged to the key "k" of a user',
    )
  })

  const withdrawals: readonly [name: string, withdraw: (writing: Writing) => Promise<unknown>][] = [
    ['rotated', (writing) => rotateKeyValue(writing, tools, 'k')],
    ['deleted', (writing) => deleteKey(writing, 'k', nowMs)],
  ]
  test.each(withdrawals)('nor after the user has %s the key', async (_name, withdraw) => {
    const engine = await open()
    const entry = { ownerId: 'u_ann', value: fileValue }
    await put(engine, entry)
    await write(engine, nowMs, withdraw)
    const own = await revealKey(engine, tools.vault, 'k')
    // The file is applied at each start.
    for (const _start of [1, 2]) await put(engine, entry)
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(fileValue)).toBeUndefined()
    const value = await revealKey(engine, tools.vault, 'k')
    if (own !== undefined) expect(value).toBe(own)
    expect(await directory.find(value ?? '')).toMatchObject({ id: 'k', isEnabled: true })
    // Another value in the file is the choice of the operator.
    const next = `${fileValue}-next`
    await put(engine, { ...entry, value: next })
    expect(await (await openKeyDirectory(engine, tools.vault)).find(next)).toMatchObject({
      id: 'k',
    })
  })

  test('the value of a service key comes back with the file', async () => {
    const engine = await open()
    await put(engine, { value: fileValue })
    await write(engine, nowMs, (writing) => rotateKeyValue(writing, tools, 'k'))
    await put(engine, { value: fileValue })
    expect(await (await openKeyDirectory(engine, tools.vault)).find(fileValue)).toMatchObject({
      id: 'k',
    })
  })

  test('the export names owners by email, and omits keys of former members', async () => {
    const engine = await open()
    await put(engine, { ownerId: 'u_ann' })
    await put(engine, { id: 'service' })
    const keys = async () =>
      (await exportProvision(engine, nowMs)).keys.map((key) => [key['id'], key['owner']])
    expect(await keys()).toEqual([
      ['k', 'u_ann@x.org'],
      ['service', 'none'],
    ])
    await leave(engine)
    expect(await keys()).toEqual([['service', 'none']])
  })

  test.each([
    ['a service key', null, true],
    ['a key of an owner of the account', 'owner', true],
    ['a key of a member', 'member', false],
    ['a key of a viewer', 'viewer', false],
  ] as const)('%s: the balance of the account is shown: %p', async (_name, role, isTold) => {
    const engine = await open()
    const ownerId = role && 'u_ann'
    const made = await write(engine, nowMs, async (writing) => {
      if (role) await putMember(writing, { userId: 'u_ann', accountId: 'acme', role })
      return createKey(writing, tools, { ...plainKey, ownerId })
    })
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(made.value)).toMatchObject({ seesBalance: isTold })
  })

  test('a key whose owner is not a member is refused, whatever else the row says', async () => {
    const engine = await open()
    const settings = { ...plainKey, ownerId: 'u_nobody' }
    const made = await write(engine, nowMs, (writing) => createKey(writing, tools, settings))
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(made.value)).toMatchObject({ isEnabled: false })
    expect(await findKey(engine.db, made.id)).toMatchObject({ isRunning: false })
  })
})
