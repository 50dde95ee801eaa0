import { describe, expect, test } from 'bun:test'
import type { Upstream } from '../../../src/catalog/catalog-snapshot.ts'
import { credentialPurpose } from '../../../src/catalog/catalog-store.ts'
import { putGrants } from '../../../src/catalog/group-store.ts'
import { readCatalog } from '../../../src/catalog/read-catalog.ts'
import { putUpstream } from '../../../src/catalog/upstream-store.ts'
import { timeoutsByDefault } from '../../../src/core/upstreams/upstream-timeouts.ts'
import { describeApplied } from '../../../src/provision/applied.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { latestChange } from '../../../src/store/changes/changes.ts'
import { write } from '../../../src/store/changes/write.ts'
import { configOf, type Fixture, fixtures } from '../../support/store/provision-fixture.ts'

const accounts = 'accounts: [{ id: acme }, { id: beta }]'

const whole = `
provision:
  ${accounts}
  groups:
    - { id: closed, accounts: [acme, { id: beta, until: 2027-01-01 }], fallbacks: { m: [n] } }
  models: [{ id: m }, { id: n }]
  upstreams:
    - id: one
      vendor: openai-compatible
      baseUrl: https://one.example/v1
      credentials: [{ name: a, value: secret-of-a-0123456789 }, { name: b, value: secret-of-b-0123456789 }]
      concurrency: 7
      timeouts: { idleMs: 9 }
      proxy: http://user:proxy-word@proxy:3128
      privateAddresses: true
      billsOnAbort: true
      probe: { everyMs: 5000, model: m }
      parameters: { drop: [seed], default: { top_p: 1 } }
      groups: [closed]
      models: [m, { id: n, priority: 3, weight: 0, parameters: { default: { top_p: 0.5 } } }]
`

/** The same upstream with only the required fields. */
const bare = `
provision:
  groups: [{ id: closed }]
  upstreams: [{ id: one, vendor: openai-compatible, baseUrl: https://one.example/v1, groups: [closed], models: [m] }]
`

async function apply({ engine, tools }: Fixture, text: string): Promise<string> {
  return describeApplied(await applyProvision(engine, tools, configOf(text).provision, 'confirmed'))
}

function snapshot({ engine, tools }: Fixture) {
  return readCatalog(engine, tools.vault, undefined)
}

async function upstreamOf(fixture: Fixture, id = 'one'): Promise<Upstream> {
  const found = (await snapshot(fixture)).upstreams.get(id)
  if (!found) throw new Error(`there is no upstream ${id}`)
  return found
}

const namesOf = ({ credentials }: Upstream) => credentials.map(({ name }) => name)

/** A change by an operator in the console. */
function change({ engine, tools }: Fixture, settings: object): Promise<unknown> {
  const place = {
    id: 'one',
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    baseUrl: 'https://one.example/v1',
  }
  return write(engine, tools.nowMs(), (writing) =>
    putUpstream(writing, tools, { ...place, ...settings }),
  )
}

for (const [engineName, open] of fixtures('provisioning of routing')) {
  describe(`provisioning of routing on ${engineName}`, () => {
    test('every routing field reaches the snapshot', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const { groups, routes } = await snapshot(fixture)
      expect(groups.get('closed')?.grants).toEqual(
        new Map([
          ['acme', undefined],
          ['beta', Date.UTC(2027, 0, 1)],
        ]),
      )
      expect(groups.get('closed')?.fallbacks).toEqual(new Map([['m', ['n']]]))
      expect(await upstreamOf(fixture)).toMatchObject({
        credentials: [
          { name: 'a', value: 'secret-of-a-0123456789', hint: 'sec...6789' },
          { name: 'b', value: 'secret-of-b-0123456789', hint: 'sec...6789' },
        ],
        needsCredential: false,
        timeouts: { ...timeoutsByDefault, idleMs: 9 },
        concurrencyMax: 7,
        connection: { proxy: 'http://user:proxy-word@proxy:3128', allowsPrivate: true },
        billsOnAbort: true,
        probe: { everyMs: 5_000, model: 'm' },
        isEnabled: true,
      })
      const [m] = routes.get('closed')?.get('m') ?? []
      const [n] = routes.get('closed')?.get('n') ?? []
      expect(m).toMatchObject({ priority: 0, weight: 1 })
      expect(m?.parameters).toEqual({ drop: ['seed'], default: { top_p: 1 } })
      expect(n).toMatchObject({ priority: 3, weight: 0 })
      expect(n?.parameters).toMatchObject({ drop: ['seed'], default: { top_p: 0.5 } })
    })

    test('the same file twice changes and announces nothing', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const before = await latestChange(fixture.engine.db)
      const [first] = (await upstreamOf(fixture)).credentials
      expect(await apply(fixture, whole)).toContain('1 group (1 unchanged)')
      expect(await apply(fixture, whole)).toContain('1 upstream (1 unchanged)')
      expect(await latestChange(fixture.engine.db)).toBe(before)
      expect((await upstreamOf(fixture)).credentials[0]).toEqual(first)
    })

    test('a lower priority of a group lowers its keys, except those that the file describes', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      const key = (id: string) => `{ id: ${id}, account: acme, groups: [closed], priority: high }`
      const file = (priority: string, ...keys: string[]) =>
        `provision:\n  ${accounts}\n  groups: [{ id: closed, priority: ${priority} }]\n  keys: [${keys.join()}]`
      await apply(fixture, file('high', key('named'), key('other')))
      const before = await latestChange(db)
      const told = await apply(fixture, file('low', key('named')))
      expect(told).toContain('1 group (1 changed)')
      expect(told).toContain('2 keys (1 changed, 1 unchanged)')
      const rows = db.selectFrom('api_key').select(['id', 'priority']).orderBy('id')
      expect(await rows.execute()).toEqual([
        { id: 'named', priority: 'high' },
        { id: 'other', priority: null },
      ])
      const changes = db.selectFrom('change').select(['topic', 'subject']).where('seq', '>', before)
      const announced = (await changes.execute()).filter(({ topic }) => topic === 'key')
      expect(announced).toEqual([{ topic: 'key', subject: 'other' }])
      expect(await apply(fixture, file('low', key('named')))).toContain('1 key (1 unchanged)')
    })

    test('no secret is stored in plain text', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const { db } = fixture.engine
      const rows = [
        ...(await db.selectFrom('upstream').selectAll().execute()),
        ...(await db.selectFrom('upstream_credential').selectAll().execute()),
        ...(await db.selectFrom('audit').selectAll().execute()),
        ...(await db.selectFrom('change').selectAll().execute()),
      ]
      const text = JSON.stringify(rows)
      for (const secret of ['secret-of', 'proxy-word', 'user:']) expect(text).not.toContain(secret)
    })

    test('credentials are replaced by name: a new value replaces the old one, and omitted credentials are deleted', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const before = (await upstreamOf(fixture)).credentials
      const text = whole.replace('{ name: b, value: secret-of-b', '{ name: c, value: secret-of-c')
      expect(await apply(fixture, text)).toContain('1 upstream (1 changed)')
      const after = await upstreamOf(fixture)
      expect(namesOf(after)).toEqual(['a', 'c'])
      expect(after.credentials[0]?.id).toBe(before[0]?.id ?? '')
      await apply(fixture, text.replace('secret-of-a', 'other-of-a'))
      const [renewed] = (await upstreamOf(fixture)).credentials.filter(({ name }) => name === 'a')
      expect(renewed?.value).toBe('other-of-a-0123456789')
      expect(renewed?.id).not.toBe(before[0]?.id ?? '')
      await apply(fixture, whole.replace(/credentials: .+/, 'credentials: []'))
      expect(await upstreamOf(fixture)).toMatchObject({ credentials: [], needsCredential: false })
    })

    test('fields that the file omits keep the operator’s values', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      await change(fixture, {
        credentials: [{ name: 'entered', value: 'entered-by-hand' }],
        concurrencyMax: 3,
        timeouts: {},
        probe: null,
        proxy: 'http://other:3128',
        isEnabled: false,
      })
      const before = await upstreamOf(fixture)
      expect(await apply(fixture, bare)).toContain('1 group (1 unchanged)')
      expect(await upstreamOf(fixture)).toEqual(before)
      expect(before).toMatchObject({ concurrencyMax: 3, probe: undefined, isEnabled: false })
      expect(before.timeouts).toEqual(timeoutsByDefault)
      expect((await snapshot(fixture)).groups.get('closed')?.grants?.size).toBe(2)
    })

    test('fields in the file get the file’s values again', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const before = await upstreamOf(fixture)
      await change(fixture, {
        credentials: [],
        concurrencyMax: null,
        parameters: null,
        proxy: null,
      })
      await write(fixture.engine, 1, (writing) => putGrants(writing, 'closed', null))
      expect(await apply(fixture, whole)).toContain('1 group (1 changed)')
      const after = await upstreamOf(fixture)
      const withoutIds = (each: Upstream) => ({ ...each, credentials: namesOf(each) })
      expect(withoutIds(after)).toEqual(withoutIds(before))
      expect((await snapshot(fixture)).groups.get('closed')?.grants?.size).toBe(2)
    })

    test('an option can be reset by its default value', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      await apply(
        fixture,
        bare
          .replace('id: closed }', 'id: closed, accounts: all, fallbacks: {} }')
          .replace(
            'models: [m]',
            'models: [m], concurrency: none, proxy: none, probe: none, timeouts: {}, parameters: {}, privateAddresses: false, billsOnAbort: auto',
          ),
      )
      expect(await upstreamOf(fixture)).toMatchObject({
        concurrencyMax: undefined,
        connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
        probe: undefined,
        billsOnAbort: undefined,
        timeouts: timeoutsByDefault,
      })
      const { groups, routes } = await snapshot(fixture)
      expect(groups.get('closed')).toMatchObject({ grants: undefined, fallbacks: new Map() })
      expect(routes.get('closed')?.get('m')?.[0]?.parameters).toBeUndefined()
    })

    const moves: [string, string, boolean][] = [
      ['another path', 'https://one.example/v2/beta', false],
      ['the same host with its default port', 'https://one.example:443/v1', false],
      ['another port', 'https://one.example:8443/v1', true],
      ['no encryption', 'http://one.example/v1', true],
      ['another host', 'https://one.example.org/v1', true],
    ]
    test.each(moves)('a credential and a base URL that moves to %s', async (_, baseUrl, isLost) => {
      const fixture = await open()
      await apply(fixture, whole)
      await change(fixture, { baseUrl })
      const moved = await upstreamOf(fixture)
      expect(moved).toMatchObject({ baseUrl, needsCredential: isLost })
      expect(namesOf(moved)).toEqual(isLost ? [] : ['a', 'b'])
      const { db } = fixture.engine
      const row = await db
        .selectFrom('upstream')
        .select('credential_sealed')
        .executeTakeFirstOrThrow()
      expect(row.credential_sealed === null).toBe(isLost)
      // Credentials entered again for the new host are used there; back at the old host, the old ones are used again.
      await change(fixture, { baseUrl, credentials: [{ name: 'a', value: 'entered again' }] })
      expect(await upstreamOf(fixture)).toMatchObject({ needsCredential: false })
      expect(namesOf(await upstreamOf(fixture))).toEqual(['a'])
    })

    test('the file sets the base URL and credentials together', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      await apply(fixture, whole.replace('https://one.example/v1', 'https://two.example/v1'))
      expect(namesOf(await upstreamOf(fixture))).toEqual(['a', 'b'])
    })

    test('the file changes the base URL without credentials', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      await apply(fixture, bare.replace('one.example', 'two.example'))
      expect(await upstreamOf(fixture)).toMatchObject({ credentials: [], needsCredential: true })
    })

    test('a credential of version 0.1 is found after the migration', async () => {
      const fixture = await open()
      const { db } = fixture.engine
      const value_sealed = fixture.tools.vault.seal('of-version-0.1-0123456789', credentialPurpose)
      await apply(fixture, bare.replace('models: [m]', 'models: []'))
      await db
        .insertInto('upstream_credential')
        .values({
          id: 'cred_one',
          upstream_id: 'one',
          name: 'first',
          value_sealed,
          hint: '',
          origin: 'https://ONE.example/v1',
          enabled: 1,
          created_at: 1,
        })
        .execute()
      expect((await upstreamOf(fixture)).credentials).toEqual([
        { id: 'cred_one', name: 'first', value: 'of-version-0.1-0123456789', hint: 'of-...6789' },
      ])
      const text = bare.replace('models: [m]', 'models: [], credential: of-version-0.1-0123456789')
      expect(await apply(fixture, text)).toContain('1 upstream (1 unchanged)')
    })

    test('a grant to an unknown account is rejected', async () => {
      const fixture = await open()
      const text = 'provision:\n  groups: [{ id: g, accounts: [nobody] }]'
      const refusal = await apply(fixture, text).catch((error: unknown) => error)
      expect(refusal).toHaveProperty(
        'message',
        'tollgate.yaml:2: the group "g" names the account "nobody", which is neither in the file nor in the database; add it to provision.accounts or correct the name.',
      )
    })

    test('a policy that is invalid in the database is not applied', async () => {
      const fixture = await open()
      await apply(fixture, whole)
      const parameters = JSON.stringify({ headers: { authorization: 'stolen' } })
      await fixture.engine.db.updateTable('route').set({ parameters }).execute()
      await fixture.engine.db
        .updateTable('upstream')
        .set({ settings: '{"parameters":3,"concurrencyMax":-1,"timeouts":{"idleMs":"x"}}' })
        .execute()
      const { routes } = await snapshot(fixture)
      expect(routes.get('closed')?.get('m')?.[0]?.parameters).toBeUndefined()
      expect(await upstreamOf(fixture)).toMatchObject({
        concurrencyMax: undefined,
        timeouts: timeoutsByDefault,
      })
    })
  })
}
