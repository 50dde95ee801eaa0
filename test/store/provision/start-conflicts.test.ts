import { describe, expect, test } from 'bun:test'
import { findUserByEmail } from '../../../src/accounts/create-user.ts'
import { removeMember } from '../../../src/accounts/member-store.ts'
import { removeLogin } from '../../../src/accounts/remove-login.ts'
import {
  changeAlert,
  createAlert,
  deleteAlert,
  readAlert,
} from '../../../src/alerts/alert-store.ts'
import { addPriceVersion } from '../../../src/catalog/add-price-version.ts'
import { freePrice } from '../../../src/catalog/start-catalogue.ts'
import { deleteKey } from '../../../src/keys/delete-key.ts'
import { findKey } from '../../../src/keys/key-list.ts'
import { createKey, revealKey } from '../../../src/keys/key-store.ts'
import { makeServiceKey } from '../../../src/keys/make-service-key.ts'
import { rotateKeyValue } from '../../../src/keys/replace-key-value.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { provisionAtStart } from '../../../src/provision/provision-at-start.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { configOf, type Fixture, fixtures } from '../../support/store/provision-fixture.ts'
import { plainKey } from '../../support/store/row-helpers.ts'

/*
 * Owners of an account may change their keys, members and alerts, and operators may plan prices. Whatever they do, the
 * gateway starts again with its file.
 */

const laptopValue = 'a-value-for-the-laptop-0123456789'
const serverValue = 'a-value-for-the-server-0123456789'
const file = `provision:
  accounts: [{ id: acme }, { id: other }]
  users: [{ email: bob@example.com, accounts: [acme] }]
  keys:
    - { id: laptop, account: acme, owner: bob@example.com, value: ${laptopValue}, monthly: 5 }
    - { id: server, account: acme, value: ${serverValue}, monthly: 5 }
  models:
    - { id: m, price: { input: 1, output: 1 }, plannedPrices: [{ from: 2090-01-01, input: 2, output: 2 }] }
  alerts:
    - { id: team, account: acme, channel: slack, url: 'https://hooks.example.com/a', kinds: [credit_low] }
`
const start = ({ engine, tools }: Fixture, release?: string) =>
  provisionAtStart(engine, tools, configOf(file), vendors, release)
const apply = ({ engine, tools }: Fixture) =>
  applyProvision(engine, tools, configOf(file).provision, 'confirmed')

type Change = (writing: Writing, fixture: Fixture, bobId: string) => Promise<unknown>

const leave: Change = (writing, _fixture, userId) =>
  removeMember(writing, { userId, accountId: 'acme' })
const takeAlert = (accountId: string, channel: 'slack' | 'email'): Change => {
  const emails = channel === 'email' ? ['bob@example.com'] : []
  return async (writing, { tools }) => {
    const deps = { ...tools, nowMs: 1 }
    const alert = await readAlert(writing.tx, 'team')
    if (!alert) throw new Error('the file has an alert')
    await deleteAlert(writing, 'team', 1)
    const url = 'https://hooks.example.com/b'
    await createAlert(writing, deps, { ...alert, accountId, channel, emails, url }, 'team')
  }
}

const changes: readonly [what: string, change: Change, words: string][] = [
  [
    'a member of the file leaves, and the key becomes a service key',
    async (writing, fixture, bobId) => {
      await leave(writing, fixture, bobId)
      await makeServiceKey(writing, fixture.tools, 'laptop')
    },
    'the key "laptop" is a service key and cannot be given to "bob@example.com"',
  ],
  [
    'a user of the file is deleted',
    (writing, _fixture, bobId) => removeLogin(writing, bobId),
    'the key "laptop" belongs to another user and cannot be given to "bob@example.com"',
  ],
  [
    'another key gets the value of a key of the file',
    async (writing, { tools }) => {
      await rotateKeyValue(writing, tools, 'server')
      await createKey(writing, tools, plainKey, { id: 'other', value: serverValue })
    },
    'the key "server" has the same value as the key "other"',
  ],
  [
    'an alert is replaced by one with another channel',
    takeAlert('acme', 'email'),
    'the alert "team" exists with another account or channel',
  ],
  [
    'an alert is deleted, and another account takes its id',
    takeAlert('other', 'slack'),
    'the alert "team" exists with another account or channel',
  ],
  [
    'an operator plans another price',
    async (writing, { tools }) => {
      const price = { ...freePrice, inputNano: 3n }
      const validFromMs = Date.parse('2095-01-01')
      await addPriceVersion(writing, tools, { modelId: 'm', price, validFromMs })
    },
    'the model "m" has a planned price from 2095-01-01T00:00:00.000Z that differs from "plannedPrices"',
  ],
]

for (const [engineName, open] of fixtures('starts after changes in the console')) {
  describe(`a start after changes in the console, on ${engineName}`, () => {
    const changed = async (change: Change): Promise<Fixture> => {
      const fixture = await open()
      const { engine } = fixture
      expect((await start(fixture)).applied.warnings).toEqual([])
      const bob = await findUserByEmail(engine.db, 'bob@example.com')
      await write(engine, 1, (writing) => change(writing, fixture, bob?.id ?? ''))
      return fixture
    }

    test.each(changes)('%s: the start warns, and applying is refused', async (_, change, words) => {
      const fixture = await changed(change)
      const { db } = fixture.engine
      const stateOf = async () => ({
        keys: await db
          .selectFrom('api_key')
          .select(['id', 'owner_user_id', 'value_hash', 'account_id'])
          .orderBy('id')
          .execute(),
        alert: await readAlert(db, 'team'),
        prices: await db.selectFrom('price_version').selectAll().orderBy('valid_from').execute(),
      })
      const before = await stateOf()
      expect(await failureOf(apply(fixture))).toContain(words)
      for (const _time of [1, 2]) {
        const { warnings } = (await start(fixture)).applied
        expect(warnings).toEqual([expect.stringContaining(words)])
      }
      expect(await stateOf()).toEqual(before)
    })

    test('the settings of the file apply all the same', async () => {
      const fixture = await changed(async (writing, given, bobId) => {
        await leave(writing, given, bobId)
        await makeServiceKey(writing, given.tools, 'laptop')
        await writing.tx.updateTable('api_key').set({ monthly_nano: null }).execute()
      })
      const { engine, tools } = fixture
      const value = await revealKey(engine, tools.vault, 'laptop')
      await start(fixture)
      const key = await findKey(engine.db, 'laptop')
      expect(key).toMatchObject({ ownerId: null, monthlyNano: 5_000_000_000n })
      expect(await revealKey(engine, tools.vault, 'laptop')).toBe(value ?? 'none')
    })

    test('an alert that was changed or deleted is as in the file again', async () => {
      const wanted = { channel: 'slack', isEnabled: true, urlHost: 'hooks.example.com' }
      const losses: readonly Change[] = [
        (writing) => deleteAlert(writing, 'team', 1),
        (writing, { tools }) =>
          changeAlert(writing, { ...tools, nowMs: 1 }, 'team', { isEnabled: false }),
        (writing) => deleteKey(writing, 'server', 1),
      ]
      const fixture = await open()
      // With a release, a start that has nothing to do is skipped.
      for (const lose of losses) {
        await start(fixture, '1.2.3')
        await start(fixture, '1.2.3')
        await write(fixture.engine, 1, (writing) => lose(writing, fixture, ''))
        await start(fixture, '1.2.3')
        expect(await readAlert(fixture.engine.db, 'team')).toMatchObject(wanted)
        expect(await findKey(fixture.engine.db, 'server')).toMatchObject({ isRunning: true })
      }
    })
  })
}
