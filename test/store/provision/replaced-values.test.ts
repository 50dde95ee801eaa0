import { describe, expect, test } from 'bun:test'
import { replaceValue } from '../../../src/catalog/credential-store.ts'
import { readUpstreams } from '../../../src/catalog/read-upstreams.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { write } from '../../../src/store/changes/write.ts'
import { configOf, fixtures } from '../../support/store/provision-fixture.ts'

const place = { id: 'one', baseUrl: 'https://one.example/v1' }
const text = `provision: { upstreams: [{ id: one, vendor: openai-compatible, baseUrl: '${place.baseUrl}', credentials: [{ name: main, value: sk-first-value, requestsPerMinute: 7 }], models: [] }] }`

const rows = [
  { what: 'replaces the value and keeps the limits', set: {}, changes: true, usable: ['sk-next'] },
  { what: 'leaves the credential disabled', set: { enabled: 0 }, changes: true, usable: [] },
  {
    what: 'does not replace a value that was entered for another host',
    set: { origin: 'https://two.example' },
    changes: false,
    usable: [],
  },
  {
    what: 'does not bring a renamed credential back',
    set: { name: 'mine' },
    changes: false,
    usable: ['sk-first-value'],
  },
] as const

for (const [engineName, open] of fixtures('replaced values')) {
  describe(`a new value of a credential on ${engineName}`, () => {
    test.each(rows)('$what', async ({ set, changes, usable }) => {
      const { engine, tools } = await open()
      await applyProvision(engine, tools, configOf(text).provision, 'confirmed')
      const { db } = engine
      if (Object.keys(set).length > 0)
        await db.updateTable('upstream_credential').set(set).execute()
      const before = await db
        .selectFrom('upstream_credential')
        .selectAll()
        .executeTakeFirstOrThrow()
      const replace = () =>
        write(engine, 1, (writing) =>
          replaceValue(writing, tools, place, { name: 'main', value: 'sk-next' }),
        )
      expect(await replace()).toBe(changes)
      // The second replica has nothing to do.
      expect(await replace()).toBe(false)
      const after = await db.selectFrom('upstream_credential').selectAll().execute()
      expect(after).toHaveLength(1)
      const { enabled, requests_per_minute } = before
      expect(after[0]).toMatchObject({ enabled, requests_per_minute })
      // The health of the former value does not apply to the new one.
      expect(after[0]?.id === before.id).toBe(!changes)
      const read = await readUpstreams(engine, tools.vault, undefined)
      const credentials = read.get('one')?.upstream.credentials.map(({ value }) => value)
      expect(credentials).toEqual([...usable])
    })
  })
}
