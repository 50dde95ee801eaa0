import { describe, expect, test } from 'bun:test'
import { openAccountDirectory } from '../../../src/accounts/account-directory.ts'
import { changeAccount, putAccount } from '../../../src/accounts/account-store.ts'
import { firstAdmin, soleRolesOf } from '../../../src/accounts/last-holder.ts'
import { passwordHashOf, putUser } from '../../../src/accounts/user-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, changesBy, nowMs, tools } from '../../support/store/row-helpers.ts'

describe.each(sharedFixtures('accounts'))('accounts on $kind', (fixture) => {
  test('created, renamed, unchanged; money never changes', async () => {
    const engine = await fixture.openMigrated()
    const put = (name: string) =>
      write(engine, nowMs, (writing) => putAccount(writing, nowMs, { id: 'acme', name }))
    expect(await put('Acme')).toBe('created')
    await engine.db.updateTable('account').set({ available_nano: 5n }).execute()
    expect(await put('Acme')).toBe('same')
    expect(await put('Acme Inc')).toBe('changed')
    expect(await engine.db.selectFrom('account').selectAll().execute()).toMatchObject([
      {
        id: 'acme',
        name: 'Acme Inc',
        status: 'active',
        ends_at: null,
        requests_per_minute: null,
        tokens_per_minute: null,
        concurrent_requests: null,
        available_nano: 5n,
        created_at: nowMs,
      },
    ])
  })

  test('the directory sees a suspension, an end date, and their removal', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    const directory = openAccountDirectory(engine)
    const plain = {
      id: 'acme',
      isSuspended: false,
      endsAtMs: undefined,
      limits: undefined,
      recordedKeys: undefined,
    }
    expect(await directory.find('acme')).toEqual(plain)
    const change = async (settings: Parameters<typeof changeAccount>[2]) => {
      await directory.apply(await changesBy(engine, (w) => changeAccount(w, 'acme', settings)))
      return directory.find('acme')
    }
    expect(await change({ status: 'suspended' })).toEqual({ ...plain, isSuspended: true })
    expect(await change({ endsAt: 9 })).toEqual({ ...plain, isSuspended: true, endsAtMs: 9 })
    expect(await change({ status: 'active', endsAt: null })).toEqual(plain)
  })

  test('an unknown state counts as suspended', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    await engine.db.updateTable('account').set({ status: 'under review' }).execute()
    expect(await openAccountDirectory(engine).find('acme')).toMatchObject({ isSuspended: true })
  })

  test('an account that does not exist is cached as absent until it is created', async () => {
    const engine = await fixture.openMigrated()
    const directory = openAccountDirectory(engine)
    expect(await directory.find('acme')).toBeUndefined()
    expect(directory.find('acme')).toBeUndefined()
    const made = await changesBy(engine, (w) => putAccount(w, nowMs, { id: 'acme', name: 'A' }))
    await directory.apply(made)
    expect(await directory.find('acme')).toMatchObject({ id: 'acme' })
  })

  test('a change to one account keeps the others cached', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'one')
    await addAccount(engine, 'two')
    const directory = openAccountDirectory(engine)
    await Promise.all([directory.find('one'), directory.find('two')])
    await directory.apply([{ seq: 1, topic: 'account', subject: 'two' }])
    expect(directory.find('one')).not.toBeInstanceOf(Promise)
    expect(directory.find('two')).toBeInstanceOf(Promise)
    await directory.find('two')
  })
})

describe.each(sharedFixtures('users'))('users on $kind', (fixture) => {
  const put = (
    engine: Engine,
    change: Partial<Parameters<typeof putUser>[2]> = {},
  ): Promise<string> =>
    write(engine, nowMs, (writing) =>
      putUser(writing, tools, {
        email: 'A@Example.com ',
        role: 'member',
        accounts: [{ id: 'one' }],
        passwordHash: undefined,
        ...change,
      }),
    )

  test('created, unchanged, changed; email addresses are compared without case', async () => {
    const engine = await fixture.openMigrated()
    for (const id of ['one', 'two', 'three']) await addAccount(engine, id)
    const memberships = async () => {
      const rows = await engine.db.selectFrom('membership').select('account_id').execute()
      return rows.map((row) => row.account_id).sort()
    }
    expect(await put(engine)).toBe('created')
    expect(await put(engine, { email: 'a@example.com' })).toBe('same')
    expect(await put(engine, { accounts: [{ id: 'two' }, { id: 'three' }] })).toBe('changed')
    expect(await memberships()).toEqual(['three', 'two'])
    expect(await put(engine, { accounts: [] })).toBe('changed')
    expect(await memberships()).toEqual([])
    expect(await engine.db.selectFrom('console_user').select('email').execute()).toEqual([
      { email: 'a@example.com' },
    ])
  })

  test('an omitted password stays unchanged', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'one')
    expect(await passwordHashOf(engine, 'a@example.com')).toBeUndefined()
    await put(engine)
    expect(await passwordHashOf(engine, 'a@example.com')).toBeNull()
    expect(await put(engine, { passwordHash: 'hash' })).toBe('changed')
    expect(await put(engine)).toBe('same')
    expect(await passwordHashOf(engine, ' A@EXAMPLE.com')).toBe('hash')
  })

  test('the oldest administrator', async () => {
    const engine = await fixture.openMigrated()
    expect(await firstAdmin(engine.db)).toBeUndefined()
    await put(engine, { accounts: [], email: 'member@example.com' })
    await put(engine, { accounts: [], email: 'one@example.com', role: 'admin' })
    await engine.db
      .updateTable('console_user')
      .set({ created_at: nowMs - 1 })
      .execute()
    await put(engine, { accounts: [], email: 'two@example.com', role: 'admin' })
    expect(await firstAdmin(engine.db)).toMatchObject({ email: 'one@example.com' })
    await put(engine, { accounts: [], email: 'one@example.com', role: 'admin', isSuspended: true })
    expect(await firstAdmin(engine.db)).toMatchObject({ email: 'two@example.com' })
  })

  test('the roles that only one user has', async () => {
    const engine = await fixture.openMigrated()
    for (const id of ['one', 'two']) await addAccount(engine, id)
    const owned = ['one', 'two'].map((id) => ({ id, role: 'owner' as const }))
    const [ann, bob] = ['ann@example.com', 'bob@example.com']
    const rolesOf = async (email: string) => {
      const users = engine.db.selectFrom('console_user').select('id').where('email', '=', email)
      return soleRolesOf(engine.db, (await users.executeTakeFirstOrThrow()).id)
    }
    await put(engine, { email: ann, role: 'admin', accounts: owned })
    expect(await rolesOf(ann)).toMatchObject({ isAdmin: true, accountIds: ['one', 'two'] })
    await put(engine, { email: bob, role: 'admin', accounts: owned.slice(1) })
    expect(await rolesOf(ann)).toMatchObject({ isAdmin: false, accountIds: ['one'] })
    expect(await rolesOf(bob)).toMatchObject({ isAdmin: false, accountIds: [] })
    await put(engine, { email: bob, role: 'admin', accounts: owned.slice(1), isSuspended: true })
    expect(await rolesOf(ann)).toMatchObject({ isAdmin: true, accountIds: ['one', 'two'] })
    expect(await rolesOf(bob)).toMatchObject({ isAdmin: false, accountIds: [] })
  })
})
