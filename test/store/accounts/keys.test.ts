import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { complete } from '../../../src/fields/definition.ts'
import { type KeyValues, keyDefinition } from '../../../src/keys/definition/key.ts'
import { keyDirectoryLimits, openKeyDirectory } from '../../../src/keys/key-directory.ts'
import { listKeys } from '../../../src/keys/key-list.ts'
import { createKey, revealKey, setKeyEnabled, updateKey } from '../../../src/keys/key-store.ts'
import { mintKeyValue } from '../../../src/keys/key-value.ts'
import { replaceKeyValue } from '../../../src/keys/replace-key-value.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { addAccount, changesBy, nowMs, plainKey, tools } from '../../support/store/row-helpers.ts'

const imported = 'brought-along-key-0001'

function addKey(
  engine: Engine,
  settings: Partial<KeyValues> = {},
  given: { id?: string; value?: string } = {},
) {
  return write(engine, nowMs, (writing) =>
    createKey(writing, tools, { ...plainKey, ...settings }, given),
  )
}

function keyRow({ db }: Engine, id: string) {
  return db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Changes the row like the ledger: some money spent, some held. */
async function spend({ db }: Engine, id: string, spentNano: bigint, heldNano: bigint) {
  await db
    .updateTable('api_key')
    .set((eb) => ({
      spent_nano: eb('spent_nano', '+', spentNano),
      available_nano: eb('available_nano', '-', spentNano + heldNano),
    }))
    .where('id', '=', id)
    .execute()
  const lease = {
    id: `lease of ${id}`,
    replica: 'r',
    epoch: 1,
    account_id: 'acme',
    key_id: id,
    granted_nano: heldNano,
    used_nano: 0n,
    version: 1,
    created_at: 1,
    reclaim_at: 2,
  }
  await db.insertInto('lease').values(lease).execute()
}

describe.each(sharedFixtures('keys'))('keys on $kind', (fixture) => {
  const open = async (): Promise<Engine> => {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    return engine
  }

  test('a new key is found by its value, with its scopes, and revealed', async () => {
    const engine = await open()
    const { id, value } = await addKey(engine, {
      groups: ['premium', 'default'],
      models: [],
      addresses: ['10.0.0.0/8', 'not an address'],
      expiresAt: nowMs + 1,
      priority: 'low',
    })
    expect(value).toMatch(/^sk-[0-9A-Za-z]{48}$/)
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(value)).toMatchObject({
      id,
      accountId: 'acme',
      ownerUserId: undefined,
      name: 'laptop',
      groups: ['premium', 'default'],
      models: new Set(),
      addresses: [{ bits: 32, network: 10n << 24n, prefixLength: 8 }],
      expiresAtMs: nowMs + 1,
      limits: undefined,
      modelLimits: undefined,
      memberLimits: undefined,
      priority: 'low',
      isEnabled: true,
      seesBalance: true,
    })
    expect(await revealKey(engine, tools.vault, id)).toBe(value)
    expect(await revealKey(engine, tools.vault, 'nobody')).toBeUndefined()
  })

  test('an absent restriction is not an empty one', async () => {
    const engine = await open()
    const { value } = await addKey(engine)
    const directory = await openKeyDirectory(engine, tools.vault)
    const record = await directory.find(value)
    expect(record?.models).toBeUndefined()
    expect(record?.addresses).toBeUndefined()
    expect(record?.expiresAtMs).toBeUndefined()
  })

  test('no column contains the value', async () => {
    const engine = await open()
    const { id, value } = await addKey(engine)
    const { value_hint, ...row } = await keyRow(engine, id)
    const text = JSON.stringify(row, (_, each: unknown) => (typeof each === 'bigint' ? 0 : each))
    expect(text).not.toContain(value.slice(3, 20))
    expect(value_hint).toBe(`sk-…${value.slice(-4)}`)
  })

  test('a value belongs to one key', async () => {
    const engine = await open()
    await addKey(engine, {}, { value: imported })
    expect(await failureOf(addKey(engine, {}, { value: imported }))).toMatch(/unique/i)
  })

  test('an imported value is found, and no similar value', async () => {
    const engine = await open()
    const { id } = await addKey(engine, {}, { value: imported })
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(imported)).toMatchObject({ id })
    expect(await directory.find(`${imported}x`)).toBeUndefined()
    expect(await directory.find(imported.slice(0, -1))).toBeUndefined()
  })

  test('without imported keys, a value without a checksum is rejected without a look-up', async () => {
    const engine = await open()
    await addKey(engine)
    let queries = 0
    const db = engine.db.withPlugin({
      transformQuery: ({ node }) => {
        queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const directory = await openKeyDirectory({ ...engine, db }, tools.vault)
    queries = 0
    expect(directory.find(imported)).toBeUndefined()
    expect(directory.find('')).toBeUndefined()
    expect(queries).toBe(0)
    expect(await directory.find(mintKeyValue(tools.random))).toBeUndefined()
    expect(queries).toBe(1)
  })

  test('an open directory sees the first imported key', async () => {
    const engine = await open()
    const directory = await openKeyDirectory(engine, tools.vault)
    expect(await directory.find(imported)).toBeUndefined()
    const changes = await changesBy(engine, (writing) =>
      createKey(writing, tools, plainKey, { id: 'k1', value: imported }),
    )
    await directory.apply(changes)
    expect(await directory.find(imported)).toMatchObject({ id: 'k1' })
  })

  test('a key that was looked up before its creation is found after it', async () => {
    const engine = await open()
    const directory = await openKeyDirectory(engine, tools.vault)
    const value = mintKeyValue(tools.random)
    expect(await directory.find(value)).toBeUndefined()
    const changes = await changesBy(engine, (writing) =>
      createKey(writing, tools, plainKey, { id: 'k1', value }),
    )
    await directory.apply(changes)
    expect(await directory.find(value)).toMatchObject({ id: 'k1' })
  })

  test('the directory sees that a key is disabled and enabled again', async () => {
    const engine = await open()
    const { id, value } = await addKey(engine)
    const directory = await openKeyDirectory(engine, tools.vault)
    for (const isEnabled of [false, true]) {
      await directory.apply(await changesBy(engine, (w) => setKeyEnabled(w, id, isEnabled)))
      expect(await directory.find(value)).toMatchObject({ isEnabled })
    }
    expect(await write(engine, nowMs, (w) => setKeyEnabled(w, 'nobody', false))).toBe(false)
  })

  test('a change to another key or topic keeps a key cached', async () => {
    const engine = await open()
    const { value } = await addKey(engine)
    const directory = await openKeyDirectory(engine, tools.vault)
    await directory.apply([
      { seq: 1, topic: 'key', subject: 'other' },
      { seq: 2, topic: 'account', subject: 'acme' },
    ])
    expect(directory.find(value)).not.toBeInstanceOf(Promise)
  })

  test('keys beyond the preloaded number are found in the database', async () => {
    const engine = await open()
    const values = new Map<string, string>()
    for (const id of ['k1', 'k2', 'k3']) values.set((await addKey(engine, {}, { id })).value, id)
    const directory = await openKeyDirectory(engine, tools.vault, {
      ...keyDirectoryLimits,
      preloadedMax: 2,
      recentMax: 2,
    })
    const found = [...values.keys()].map((value) => directory.find(value))
    expect(found.filter((each) => each instanceof Promise)).toHaveLength(1)
    for (const [index, each] of found.entries()) {
      expect(await each).toMatchObject({ id: [...values.values()][index] })
    }
  })

  test('a replaced value stops working and the new one works', async () => {
    const engine = await open()
    const { id, value } = await addKey(engine)
    const directory = await openKeyDirectory(engine, tools.vault)
    await directory.apply(
      await changesBy(engine, (w) => replaceKeyValue(w, tools.vault, id, imported)),
    )
    expect(await directory.find(value)).toBeUndefined()
    expect(await directory.find(imported)).toMatchObject({ id })
    expect(await revealKey(engine, tools.vault, id)).toBe(imported)
    const again = await changesBy(engine, (w) => replaceKeyValue(w, tools.vault, id, imported))
    expect(again).toEqual([])
  })

  const quotaMoves: [string, bigint | null, bigint | null, bigint | null][] = [
    ['raised', 100n, 150n, 120n],
    ['lowered', 100n, 80n, 50n],
    ['lowered below the spent amount', 100n, 10n, -20n],
    ['kept', 100n, 100n, 70n],
    ['removed', 100n, null, null],
    ['set on a key without a quota', null, 100n, 70n],
    ['still not set', null, null, null],
  ]
  test.each(quotaMoves)('a quota %s: spent and held money stay counted', async (...move) => {
    const [, before, after, available] = move
    const engine = await open()
    const { id } = await addKey(engine, { quotaNano: before })
    await spend(engine, id, 20n, 10n)
    await write(engine, nowMs, (w) => updateKey(w, id, { ...plainKey, quotaNano: after }))
    const row = await keyRow(engine, id)
    expect(row.quota_nano).toBe(after ?? null)
    expect(row.available_nano).toBe(available)
    expect(row.spent_nano).toBe(20n)
  })

  test('a quota set while a request settles counts the cost of that request', async () => {
    const [one, two] = await fixture.openTwo()
    await addAccount(one)
    const { id } = await addKey(one)
    const settling = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const settled = one.db.transaction().execute(async (tx) => {
      await tx.updateTable('api_key').set({ spent_nano: 30n }).where('id', '=', id).execute()
      begun.resolve()
      await settling.promise
    })
    await begun.promise
    const updated = write(two, nowMs, (w) => updateKey(w, id, { ...plainKey, quotaNano: 100n }))
    await untilWaiting(one)
    settling.resolve()
    await Promise.all([settled, updated])
    expect((await keyRow(one, id)).available_nano).toBe(70n)
  })

  test('a list shows no value and no hash, is paged, and has only the requested accounts', async () => {
    const engine = await open()
    await addAccount(engine, 'other')
    for (const id of ['k1', 'k2', 'k3']) await addKey(engine, { quotaNano: 5n }, { id })
    await addKey(engine, { accountId: 'other' }, { id: 'k9' })
    const [first] = await listKeys(engine, { rowsMax: 1 })
    const settings = { accountId: 'acme', name: 'laptop', quotaNano: 5n }
    expect(first).toEqual({
      ...complete(keyDefinition, settings),
      id: 'k1',
      isRunning: true,
      hint: first?.hint ?? '',
      spentNano: 0n,
      createdAtMs: first?.createdAtMs ?? 0,
    })
    const ids = async (page: Parameters<typeof listKeys>[1]) =>
      (await listKeys(engine, page)).map((key) => key.id)
    expect(await ids({ after: { value: 'k1', id: 'k1' }, rowsMax: 2 })).toEqual(['k2', 'k3'])
    expect(await ids({ rowsMax: 9 })).toEqual(['k1', 'k2', 'k3', 'k9'])
    expect(await ids({ accountIds: ['other'], rowsMax: 9 })).toEqual(['k9'])
    expect(await ids({ accountIds: [], rowsMax: 9 })).toEqual([])
  })
})

/** Resolves when another connection waits for a lock; on SQLite other writers wait before they begin. */
async function untilWaiting({ kind, db }: Engine): Promise<void> {
  if (kind === 'sqlite') return
  for (;;) {
    const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted`.execute(db)
    if (rows.length > 0) return
  }
}
