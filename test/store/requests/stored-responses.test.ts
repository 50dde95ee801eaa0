import { describe, expect, test } from 'bun:test'
import { ResponseStore, type StoredResponse } from '../../../src/conversations/response-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const vault = createVault(new Uint8Array(32).fill(7))
const content = { response: '{"id":"resp_1"}', items: '[{"type":"message"}]' }

function stored(id: string, own: Partial<StoredResponse> = {}): StoredResponse {
  const place = { upstreamId: undefined, credentialName: undefined, turnTokens: undefined }
  return { id, keyId: 'k1', model: 'gpt-x', ...place, content, ...own }
}

describe.each(sharedFixtures('stored responses'))('stored responses on $kind', (fixture) => {
  const open = async (own: { retentionMs?: number; clock?: { nowMs: number } } = {}) => {
    const engine = await fixture.openMigrated()
    return { engine, ...openOn(engine, own) }
  }
  const openOn = (
    engine: Engine,
    {
      retentionMs = 1_000,
      clock = { nowMs: 5_000 },
    }: { retentionMs?: number; clock?: { nowMs: number } },
  ) => {
    const errors: unknown[] = []
    const store = new ResponseStore({
      engine,
      vault,
      nowMs: () => clock.nowMs,
      retentionMs,
      onError: (error) => errors.push(error),
    })
    return { store, errors, clock }
  }

  test('a stored response has the tokens of its turn, before and after it is written', async () => {
    const { store } = await open()
    store.keep(
      stored('resp_1', { upstreamId: 'one', content: undefined, turnTokens: 3_000_000_000 }),
    )
    expect((await store.find('k1', 'resp_1'))?.turnTokens).toBe(3_000_000_000)
    await store.written()
    expect((await store.find('k1', 'resp_1'))?.turnTokens).toBe(3_000_000_000)
  })

  test('a long response is returned unchanged, before and after it is written', async () => {
    const { store, engine, errors } = await open()
    const text = 'Łódź 文字 🌍 " \\ \n\u0001'.repeat(40_000)
    const long = {
      response: JSON.stringify({ id: 'resp_1', text: `${text}\ud83c` }),
      items: JSON.stringify(['x', text]),
    }
    store.keep(stored('resp_1', { content: long }))
    expect((await store.find('k1', 'resp_1'))?.content).toBe(long)
    await store.written()
    expect(errors).toEqual([])
    const found = await openOn(engine, {}).store.find('k1', 'resp_1')
    expect(found?.content?.response === long.response).toBe(true)
    expect(found?.content?.items === long.items).toBe(true)
  })

  test('a response is found at once and after it is written, only with its own key', async () => {
    const { store, engine, errors } = await open()
    expect(store.keep(stored('resp_1'))).toBe(true)
    expect(await store.find('k1', 'resp_1')).toEqual(stored('resp_1'))
    expect(await store.find('k2', 'resp_1')).toBeUndefined()
    await store.written()
    expect(errors).toEqual([])
    const other = openOn(engine, {})
    expect(await other.store.find('k1', 'resp_1')).toEqual(stored('resp_1'))
    expect(await other.store.find('k2', 'resp_1')).toBeUndefined()
    expect(await other.store.find('k1', 'resp_2')).toBeUndefined()
  })

  test('no content is readable in the table', async () => {
    const { store, engine } = await open()
    store.keep(stored('resp_1', { content: { ...content, response: '{"text":"my secret plan"}' } }))
    await store.written()
    const rows = await engine.db.selectFrom('stored_response').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('secret plan')
  })

  test('for a response stored by the upstream only its location is stored', async () => {
    const { store, engine } = await open()
    const kept = stored('resp_up', { upstreamId: 'one', content: undefined })
    store.keep(kept)
    await store.written()
    expect(await openOn(engine, {}).store.find('k1', 'resp_up')).toEqual(kept)
  })

  test('a deleted response is gone, even while it is being written; another key cannot delete it', async () => {
    const { store } = await open()
    store.keep(stored('resp_1'))
    expect(await store.remove('k2', 'resp_1')).toBe(false)
    expect(await store.remove('k1', 'resp_1')).toBe(true)
    expect(await store.find('k1', 'resp_1')).toBeUndefined()
    expect(await store.remove('k1', 'resp_1')).toBe(false)
  })

  test('an expired response is not found, and the cleanup deletes it', async () => {
    const { store, clock, engine } = await open()
    store.keep(stored('resp_1'))
    await store.written()
    clock.nowMs += 999
    expect(await store.find('k1', 'resp_1')).toBeDefined()
    expect(await store.sweep()).toBe(0)
    clock.nowMs += 1
    expect(await store.find('k1', 'resp_1')).toBeUndefined()
    expect(await store.sweep()).toBe(1)
    expect(await engine.db.selectFrom('stored_response').selectAll().execute()).toEqual([])
  })

  test('a response that is still being written expires too', async () => {
    const { store, clock } = await open()
    store.keep(stored('resp_1'))
    clock.nowMs += 1_000
    expect(await store.find('k1', 'resp_1')).toBeUndefined()
    await store.written()
  })

  test('without retention nothing is stored', async () => {
    const { store } = await open({ retentionMs: 0 })
    expect(store.keep(stored('resp_1'))).toBe(false)
    expect(await store.find('k1', 'resp_1')).toBeUndefined()
  })

  test('more than a thousand pending writes are rejected', async () => {
    const { store } = await open()
    const taken = Array.from({ length: 1_001 }, (_, index) => store.keep(stored(`resp_${index}`)))
    expect(taken.filter((each) => each)).toHaveLength(1_000)
    expect(taken.at(-1)).toBe(false)
    await store.written()
    expect(store.keep(stored('resp_later'))).toBe(true)
    await store.written()
  })
})
