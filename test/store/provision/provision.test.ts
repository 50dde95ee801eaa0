import { describe, expect, test } from 'bun:test'
import { revealKey } from '../../../src/keys/key-store.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { describeApplied } from '../../../src/provision/applied.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { latestChange } from '../../../src/store/changes/changes.ts'
import { write } from '../../../src/store/changes/write.ts'
import { priceOfRow } from '../../../src/store/rows/price-row.ts'
import { isPasswordOf } from '../../../src/store/secrets/password.ts'
import { configOf, type Fixture, fixtures } from '../../support/store/provision-fixture.ts'

const base = `
provision:
  groups:
    - { id: default, factor: 1 }
    - { id: premium, factor: 1.5 }
  models:
    - { id: gpt-x, price: { input: 2.50, output: 10 } }
  upstreams:
    - { id: one, vendor: openai-compatible, baseUrl: http://127.0.0.1:9/v1, credential: up-secret,
        groups: [default, premium], models: [gpt-x] }
  accounts:
    - { id: acme, name: Acme, credit: 25 }
  users:
    - { email: a@example.com, password: correct-horse, role: admin, accounts: [acme] }
  keys:
    - { id: k1, account: acme, value: an-existing-key-value-1, quota: 5 }
`

function apply({ engine, tools }: Fixture, text: string) {
  return applyProvision(engine, tools, configOf(text).provision, 'confirmed')
}

async function changedBy(fixture: Fixture, text: string): Promise<string> {
  return describeApplied(await apply(fixture, text))
}

for (const [engineName, open] of fixtures('provisioning')) {
  describe(`provisioning on ${engineName}`, () => {
    test('applying a file twice creates everything once; the second time nothing changes or is announced', async () => {
      const fixture = await open()
      expect(await changedBy(fixture, base)).toBe(
        'provision: 2 groups (2 created), 1 model (1 created), 1 upstream (1 created), 1 account (1 created), 1 user (1 created), 1 key (1 created)',
      )
      const { db } = fixture.engine
      const announced = await latestChange(db)
      const audited = await db.selectFrom('audit').select('seq').execute()
      expect(await changedBy(fixture, base)).toBe(
        'provision: 2 groups (2 unchanged), 1 model (1 unchanged), 1 upstream (1 unchanged), 1 account (1 unchanged), 1 user (1 unchanged), 1 key (1 unchanged)',
      )
      expect(await latestChange(db)).toBe(announced)
      expect(await db.selectFrom('audit').select('seq').execute()).toEqual(audited)
      expect(await db.selectFrom('route').selectAll().execute()).toHaveLength(2)
      expect(await db.selectFrom('price_version').selectAll().execute()).toHaveLength(1)
      expect(await findImbalances(fixture.engine)).toEqual([])
    })

    test('prices for long prompts come from the file, follow a changed price, and are removed on request', async () => {
      const fixture = await open()
      const steps = 'longPrompts: [{ above: 200000, input: 5, output: 15, cacheRead: 0.3 }]'
      const withPrice = (price: string) => base.replace('{ input: 2.50, output: 10 }', price)
      const unchanged = expect.stringContaining('1 model (1 unchanged)')
      const nanoOf = async () => {
        const rows = await fixture.engine.db
          .selectFrom('price_version')
          .selectAll()
          .orderBy('valid_from', 'desc')
          .execute()
        return rows.map((row) => priceOfRow(row).tiers)[0]
      }
      const told = withPrice(`{ input: 2.50, output: 10, cacheRead: 0.25, ${steps} }`)
      await apply(fixture, told)
      expect(await changedBy(fixture, told)).toEqual(unchanged)
      expect(await nanoOf()).toEqual([
        {
          aboveTokens: 200_000,
          inputNano: 5_000_000_000n,
          cacheReadNano: 300_000_000n,
          cacheWrite5mNano: 5_000_000_000n,
          cacheWrite1hNano: 5_000_000_000n,
          outputNano: 15_000_000_000n,
        },
      ])
      const dearer = withPrice('{ input: 5, output: 11, cacheRead: 0.25 }')
      await apply(fixture, dearer)
      expect(await nanoOf()).toMatchObject([
        { inputNano: 10_000_000_000n, cacheReadNano: 300_000_000n, outputNano: 16_500_000_000n },
      ])
      expect(await changedBy(fixture, dearer)).toEqual(unchanged)
      await apply(fixture, withPrice('{ input: 5, output: 11, cacheRead: 0.25, longPrompts: [] }'))
      expect(await nanoOf()).toBeUndefined()
    })

    test('two processes that start at once apply the file once', async () => {
      const fixture = await open()
      const [first, second] = await Promise.all([apply(fixture, base), apply(fixture, base)])
      const made = first.counts.keys.created + second.counts.keys.created
      expect(made).toBe(1)
      expect(await findImbalances(fixture.engine)).toEqual([])
    })

    test('credit is granted once, even if the file has a higher amount later', async () => {
      const fixture = await open()
      await apply(fixture, base)
      await apply(fixture, base.replace('credit: 25', 'credit: 50'))
      const account = await fixture.engine.db
        .selectFrom('account')
        .select('available_nano')
        .executeTakeFirstOrThrow()
      expect(account.available_nano).toBe(25_000_000_000n)
    })

    test('a new quota changes the available amount by the difference', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      await apply(fixture, base)
      await db
        .updateTable('api_key')
        .set({ available_nano: 3_000_000_000n, spent_nano: 2_000_000_000n })
        .execute()
      expect(await changedBy(fixture, base.replace('quota: 5', 'quota: 7.5'))).toContain(
        '1 key (1 changed)',
      )
      const key = await db.selectFrom('api_key').selectAll().executeTakeFirstOrThrow()
      expect(key.available_nano).toBe(5_500_000_000n)
      expect(key.spent_nano).toBe(2_000_000_000n)
    })

    test('a new value replaces the old one, which stops working', async () => {
      const fixture = await open()
      await apply(fixture, base)
      const other = base.replace('an-existing-key-value-1', 'an-existing-key-value-2')
      expect(await changedBy(fixture, other)).toContain('1 key (1 changed)')
      const { vault } = fixture.tools
      expect(await revealKey(fixture.engine, vault, 'k1')).toBe('an-existing-key-value-2')
      const old = await fixture.engine.db
        .selectFrom('api_key')
        .select('id')
        .where('value_hash', '=', vault.lookupHash('an-existing-key-value-1'))
        .execute()
      expect(old).toEqual([])
    })

    test('a key without a value keeps its generated one', async () => {
      const fixture = await open()
      const text = base.replace('value: an-existing-key-value-1, ', '')
      await apply(fixture, text)
      const value = await revealKey(fixture.engine, fixture.tools.vault, 'k1')
      expect(value).toMatch(/^sk-[0-9A-Za-z]{48}$/)
      expect(await changedBy(fixture, text)).toContain('1 key (1 unchanged)')
      expect(await revealKey(fixture.engine, fixture.tools.vault, 'k1')).toBe(value)
    })

    test('a password is set, kept if it matches, changed if not, and unchanged if omitted', async () => {
      const fixture = await open()
      const hash = async () => {
        const query = fixture.engine.db.selectFrom('console_user').select('password_hash')
        return (await query.executeTakeFirstOrThrow()).password_hash ?? ''
      }
      await apply(fixture, base)
      const first = await hash()
      expect(await isPasswordOf('correct-horse', first)).toBe(true)
      await apply(fixture, base)
      expect(await hash()).toBe(first)
      expect(await changedBy(fixture, base.replace('password: correct-horse, ', ''))).toContain(
        '1 user (1 unchanged)',
      )
      expect(await hash()).toBe(first)
      await apply(fixture, base.replace('correct-horse', 'battery-staple'))
      expect(await isPasswordOf('battery-staple', await hash())).toBe(true)
    })

    test('a shorter password of an earlier version is kept with a warning, but rejected as a new one', async () => {
      const fixture = await open()
      const short = base.replace('correct-horse', 'old-horse')
      const must = 'the password of the user "a@example.com" must have at least 12 characters'
      const refusal = () => apply(fixture, short).catch(String)
      expect(await refusal()).toContain(`${must}; choose another one.`)
      const users = () => fixture.engine.db.selectFrom('console_user').selectAll().execute()
      expect(await users()).toEqual([])

      await apply(fixture, base)
      const before = await users()
      expect(await refusal()).toContain(must)
      expect(await users()).toEqual(before)

      const password_hash = await fixture.tools.hashPassword('old-horse')
      await write(fixture.engine, 1, ({ tx }) =>
        tx.updateTable('console_user').set({ password_hash }).execute(),
      )
      const { warnings } = await apply(fixture, short)
      expect(warnings).toContainEqual(
        expect.stringContaining(`${must}; it still works, but choose a longer one.`),
      )
      expect(warnings.join()).not.toContain('old-horse')
      expect((await users())[0]?.password_hash).toBe(password_hash)
    })

    test('resources that the file no longer names stay, but an upstream gets exactly the routes of the file', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      await apply(fixture, base)
      await apply(fixture, 'provision: {}')
      expect(await db.selectFrom('api_key').selectAll().execute()).toHaveLength(1)
      await apply(fixture, base.replace('groups: [default, premium]', 'groups: [premium]'))
      const routes = await db.selectFrom('route').select('group_id').execute()
      expect(routes).toEqual([{ group_id: 'premium' }])
    })

    test('the file may refer to resources that are only in the database', async () => {
      const fixture = await open()
      await apply(fixture, base)
      const more = 'provision:\n  keys: [{ id: k2, account: acme, groups: [premium] }]'
      expect(await changedBy(fixture, more)).toBe('provision: 1 key (1 created)')
    })

    test('a model that only an upstream names is created without a price, with a warning', async () => {
      const fixture = await open()
      const text = base.replace('models: [gpt-x]', 'models: [gpt-x, { id: gpt-y, as: theirs }]')
      const { warnings } = await apply(fixture, text)
      expect(warnings).toEqual([
        'tollgate.yaml:9: the upstream "one" serves the model "gpt-y", which has no price; requests for it are rejected until you set a price in provision.models.',
      ])
      const { db } = fixture.engine
      const price = db.selectFrom('price_version').select('id').where('model_id', '=', 'gpt-y')
      expect(await price.execute()).toEqual([])
      expect((await apply(fixture, text)).counts.models).toEqual({
        created: 0,
        changed: 0,
        same: 1,
      })
    })

    test('a model of the initial catalogue gets its price', async () => {
      const fixture = await open()
      const { warnings } = await apply(
        fixture,
        'provision:\n  upstreams: [{ id: o, vendor: openai, models: [gpt-4o] }]',
      )
      expect(warnings).toEqual([])
      const { db } = fixture.engine
      const row = await db.selectFrom('price_version').selectAll().executeTakeFirstOrThrow()
      expect(row.model_id).toBe('gpt-4o')
      expect(row.input_nano).toBe(2_500_000_000n)
      expect(row.cache_read_nano).toBe(1_250_000_000n)
    })

    const refused: [string, string, string][] = [
      [
        'unknown account',
        'provision:\n  accounts: [{ id: new }]\n  keys: [{ id: k, account: nobody }]',
        'tollgate.yaml:3: the key "k" names the account "nobody", which is neither in the file nor in the database; add it to provision.accounts or correct the name.',
      ],
      [
        'unknown group',
        'provision:\n  accounts: [{ id: new }]\n  keys: [{ id: k, account: new, groups: [gold] }]',
        'tollgate.yaml:3: the key "k" names the group "gold", which is neither in the file nor in the database; add it to provision.groups or correct the name.',
      ],
      [
        'unknown account of a user',
        'provision:\n  accounts: [{ id: new }]\n  users: [{ email: b@example.com, accounts: [nobody] }]',
        'tollgate.yaml:3: the user "b@example.com" names the account "nobody", which is neither in the file nor in the database; add it to provision.accounts or correct the name.',
      ],
      [
        'a key that would change its account',
        'provision:\n  accounts: [{ id: new }]\n  keys: [{ id: k1, account: new }]',
        'tollgate.yaml:3: the key "k1" belongs to the account "acme" and cannot move to "new"; give the new key another id.',
      ],
      [
        'a value of another key',
        'provision:\n  accounts: [{ id: new }]\n  keys: [{ id: k9, account: new, value: an-existing-key-value-1 }]',
        'tollgate.yaml:3: the key "k9" has the same value as the key "k1"; every key needs its own value.',
      ],
    ]
    for (const [name, text, sentence] of refused) {
      test(`rejected as a whole: ${name}`, async () => {
        const fixture = await open()
        await apply(fixture, base)
        const refusal = await apply(fixture, text).catch((error: unknown) => error)
        expect(refusal).toHaveProperty('message', sentence)
        const { db } = fixture.engine
        const made = await db.selectFrom('account').select('id').where('id', '=', 'new').execute()
        expect(made).toEqual([])
      })
    }

    test('no secret of the file appears in the audit log, in the changes or anywhere as plain text', async () => {
      const fixture = await open()
      await apply(fixture, base)
      const { db } = fixture.engine
      const rows = [
        ...(await db.selectFrom('audit').selectAll().execute()),
        ...(await db.selectFrom('change').selectAll().execute()),
        ...(await db.selectFrom('upstream').selectAll().execute()),
        ...(await db.selectFrom('console_user').selectAll().execute()),
        ...(await db
          .selectFrom('api_key')
          .select(['value_hash', 'value_sealed', 'value_hint'])
          .execute()),
      ]
      const text = JSON.stringify(rows)
      for (const secret of ['up-secret', 'correct-horse', 'an-existing-key-value-1']) {
        expect(text).not.toContain(secret)
      }
    })
  })
}
