import { describe, expect, test } from 'bun:test'
import { ConfigProblem } from '../../../src/config/config-problem.ts'
import { describeApplied } from '../../../src/provision/applied.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { configOf, type Fixture, fixtures } from '../../support/store/provision-fixture.ts'

async function changedBy({ engine, tools }: Fixture, text: string): Promise<string> {
  const { provision } = configOf(`provision: ${text}`)
  return describeApplied(await applyProvision(engine, tools, provision, 'confirmed')).replace(
    'provision: ',
    '',
  )
}

for (const [engineName, open] of fixtures('provisioning what was only in the console')) {
  describe(`provisioning resources that were edited in the console, on ${engineName}`, () => {
    test('settings that the file omits stay unchanged', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      await changedBy(
        fixture,
        '{ accounts: [{ id: a, status: suspended, ends: 2030-01-01 }], users: [{ email: u@b, suspended: true, accounts: [{ id: a, role: owner }] }] }',
      )
      const silent = '{ accounts: [{ id: a }], users: [{ email: u@b, accounts: [a] }] }'
      expect(await changedBy(fixture, silent)).toBe('1 account (1 unchanged), 1 user (1 unchanged)')
      const account = await db
        .selectFrom('account')
        .select(['status', 'ends_at'])
        .executeTakeFirst()
      expect(account).toEqual({ status: 'suspended', ends_at: Date.parse('2030-01-01') })
      const member = await db.selectFrom('membership').select('role').executeTakeFirst()
      expect(member).toEqual({ role: 'owner' })
      const loud =
        '{ accounts: [{ id: a, status: active, ends: none }], users: [{ email: u@b, suspended: false, accounts: [{ id: a, role: viewer }] }] }'
      expect(await changedBy(fixture, loud)).toBe('1 account (1 changed), 1 user (1 changed)')
      const rows = await db.selectFrom('membership').select('role').execute()
      expect(rows).toEqual([{ role: 'viewer' }])
    })

    test('planned prices take effect in order, and the last one that has started is in force', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      const model = (more: string) =>
        `{ models: [{ id: m, price: { input: 1, output: 1 }, ${more} }] }`
      const planned = model(
        'plannedPrices: [{ from: 2020-01-01, input: 2, output: 2 }, { from: 2090-01-01, input: 3, output: 3 }]',
      )
      expect(await changedBy(fixture, planned)).toBe('1 model (1 created)')
      expect(await changedBy(fixture, planned)).toBe('1 model (1 unchanged)')
      const rows = await db
        .selectFrom('price_version')
        .select(['valid_from', 'input_nano'])
        .orderBy('valid_from')
        .execute()
      expect(rows).toEqual([
        { valid_from: 0, input_nano: 2_000_000_000n },
        { valid_from: Date.parse('2090-01-01'), input_nano: 3_000_000_000n },
      ])
      for (const other of [
        'plannedPrices: []',
        'plannedPrices: [{ from: 2090-01-01, input: 4, output: 3 }]',
        'plannedPrices: [{ from: 2080-01-01, input: 3, output: 3 }]',
      ]) {
        const refusal = await changedBy(fixture, model(other)).catch((error: unknown) => error)
        expect(refusal).toBeInstanceOf(ConfigProblem)
      }
      expect(await db.selectFrom('price_version').select('id').execute()).toHaveLength(2)
    })

    test('a model can have its own groups, and a credential without a value is kept', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      const upstream = (credentials: string) =>
        `{ groups: [{ id: a }, { id: b }], upstreams: [{ id: u, vendor: openai, groups: [], credentials: ${credentials}, models: [{ id: m, groups: [a], weight: 2 }, { id: m, groups: [b], weight: 3 }] }] }`
      await changedBy(fixture, upstream('[{ name: one, value: secret-1 }]'))
      const routes = await db
        .selectFrom('route')
        .select(['group_id', 'weight'])
        .orderBy('group_id')
        .execute()
      expect(routes).toEqual([
        { group_id: 'a', weight: 2 },
        { group_id: 'b', weight: 3 },
      ])
      const before = await db.selectFrom('upstream_credential').selectAll().execute()
      expect(await changedBy(fixture, upstream('[{ name: one }]'))).toContain(
        '1 upstream (1 unchanged)',
      )
      expect(await changedBy(fixture, upstream('[{ name: one, enabled: false }]'))).toContain(
        '1 upstream (1 changed)',
      )
      const after = await db.selectFrom('upstream_credential').selectAll().execute()
      expect(after).toEqual(before.map((row) => ({ ...row, enabled: 0 })))
    })
  })
}
