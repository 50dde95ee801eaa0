import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminRoutes } from '../../../../src/console-api/admin/admin-routes.ts'
import { type Parameter, parametersOf } from '../../../../src/console-api/admin/parameters.ts'
import type { OperationRoute } from '../../../../src/console-api/routes/route.ts'
import { routes } from '../../../../src/console-api/routes/routes.ts'
import { isObject } from '../../../../src/wire/json.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  modelOf,
  nameOf,
  type OwnerFixture,
  openOwnerFixture,
  type PersonalKey,
  serviceKey,
} from '../keys/key-owner-fixture.ts'

/*
 * Generated from the tables of routes: every read with every caller and the ids of all resources. No response contains
 * data that the caller may not see. An operator gets each secret text in some response, so a text that never occurs
 * would be noticed.
 */

describe('data in responses, on SQLite', () => leakTests())
if (postgresServerUrl('what answers give away, on Postgres') !== undefined) {
  describe('data in responses, on Postgres', () => leakTests(freshDatabase))
}

const personal: PersonalKey[] = [
  'key_ann',
  'key_amy',
  'key_owen',
  'key_ivy',
  'key_vera',
  'key_left',
]
const accountOnly = {
  acme: 'Only of acme',
  globex: 'Only of globex',
  gateway: 'Only of the gateway',
}
const balance = { acme: '987654321012', globex: '876543210987' }
const memberLimit = '765432109876'
/** The size of the recordings of acme. */
const storedBytes = 135_792_468

const callers = {
  'a member': { user: 'u_ann', key: 'key_ann', sees: 'own keys' },
  'a viewer': { user: 'u_vera', key: 'key_vera', sees: 'own keys' },
  'an invited login': { user: 'u_ivy', key: 'key_ivy', sees: 'own keys' },
  'a former member': { user: 'u_left', sees: 'nothing' },
  'an owner of the account': { user: 'u_owen', sees: 'acme' },
  'an owner of another account': { user: 'u_bob', sees: 'globex' },
  'an owner of another account who is a member here': { user: 'u_max', sees: 'globex' },
  'an owner of another account who is a viewer here': { user: 'u_mona', sees: 'globex' },
  'a token of the account': { token: 'acme', sees: 'acme' },
  'a token of another account': { token: 'globex', sees: 'globex' },
  'an operator': { user: 'u_root', sees: 'everything' },
} as const satisfies Record<string, Caller>
/** A route, with its path in the console or in the admin API. */
interface Asked {
  readonly route: OperationRoute
  readonly path: string
}
interface Caller {
  readonly user?: string
  readonly token?: 'acme' | 'globex'
  readonly key?: PersonalKey
  readonly sees: 'own keys' | 'nothing' | 'acme' | 'globex' | 'everything'
}

function leakTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  const opened = new Map<string, string>()

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
    await addThings(fixture)
    for (const { user, token } of Object.values(callers) as Caller[]) {
      if (token !== undefined) opened.set(token, await fixture.makeToken(['all'], token))
      if (user === undefined) continue
      const open = user === 'u_ivy' ? fixture.openInvitation : fixture.signIn
      opened.set(user, await open(user))
    }
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  const ofKey = (key: PersonalKey) => [
    `"${key}"`,
    nameOf(key),
    modelOf(key),
    fixture.requests.get(key)?.requestId ?? '',
    String(fixture.requests.get(key)?.costNano),
  ]
  const ofAcme = () => [
    `"${serviceKey}"`,
    nameOf(serviceKey),
    ...fixture.seeded.acmeRequestIds.slice(-3),
    accountOnly.acme,
    balance.acme,
    memberLimit,
    String(storedBytes),
  ]
  const ofGlobex = () => [
    '"key_g1"',
    'Globex server',
    fixture.seeded.globexRequestId,
    accountOnly.globex,
    balance.globex,
  ]
  /** Texts that must not be in any response to this caller. */
  const secretsFor = ({ sees, key }: Caller): string[] => {
    const keys = personal.filter((each) => each !== key).flatMap(ofKey)
    if (sees === 'everything') return []
    const hidden = [accountOnly.gateway]
    if (sees !== 'acme') hidden.push(...keys, ...ofAcme())
    if (sees !== 'globex') hidden.push(...ofGlobex())
    return hidden
  }

  /** All ids, by the word before them in a path. */
  const ids = (): Readonly<Record<string, readonly string[]>> => {
    const keys = [...personal, serviceKey, 'key_g1']
    return {
      keys,
      playground: keys,
      usage: [
        ...[...fixture.requests.values()].map(({ requestId }) => requestId),
        fixture.seeded.acmeRequestIds.at(-1) ?? '',
        fixture.seeded.globexRequestId,
      ],
      accounts: ['acme', 'globex'],
      users: ['u_amy', 'u_bob'],
      upstreams: ['one'],
      models: ['gpt-x'],
      groups: ['default'],
      alerts: ['alert_acme', 'alert_globex', 'alert_gateway'],
      tokens: ['tok_acme', 'tok_globex', 'tok_gateway'],
    }
  }
  /**
   * On SQLite every id in every path. The same code checks on Postgres that an id of another kind finds nothing, so
   * there each path gets the ids of its own kind, or all if it has none.
   */
  const idsFor = (path: string): readonly string[] => {
    const own = ids()[/(\w+)\/\{id\}/.exec(path)?.[1] ?? '']
    const others = makeDatabase ? [] : Object.values(ids()).map((each) => each.at(-1) ?? '')
    return [...new Set(own ? [...own, ...others] : Object.values(ids()).flat())]
  }
  /** Values of the parameters that name something of an account, and of those whose values are a list of words. */
  const valuesOf = ({ name, schema }: Parameter): readonly string[] => {
    const words = isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : []
    if (words.length > 0) return words.map(String)
    const named: Readonly<Record<string, readonly string[]>> = {
      account: ['acme', 'globex'],
      key: ['key_amy', 'key_left', serviceKey, 'key_g1'],
      user: ['u_amy', 'u_left', 'u_bob'],
      model: [modelOf('key_amy')],
      search: ['Name', 'Globex', 'Only', '@'],
      status: ['ok', 'error'],
      request: [fixture.requests.get('key_amy')?.requestId ?? '', fixture.seeded.globexRequestId],
    }
    return named[name] ?? []
  }
  /** Each filter of the route alone, and together with each account. */
  const filtersOf = ({ query }: OperationRoute): string[] => {
    const parameters = parametersOf(query)
    const filters = parameters.flatMap((parameter) =>
      valuesOf(parameter).map((value) => [parameter.name, value] as const),
    )
    const accounts = filters.filter(([name]) => name === 'account')
    const others = filters.filter(([name]) => name !== 'account')
    const both = accounts.flatMap((account) => others.map((other) => [account, other]))
    return [[], ...filters.map((filter) => [filter]), ...both].map((pairs) =>
      new URLSearchParams(Object.fromEntries(pairs)).toString(),
    )
  }
  const questionsOf = ({ route, path }: Asked): string[] =>
    path.includes('{id}')
      ? idsFor(path).flatMap((id) => {
          const at = path.replace('{id}', encodeURIComponent(id)).replace('{rest}', 'v1/models')
          return [at, `${at}?account=acme`]
        })
      : filtersOf(route).map((filter) => `${path}?${filter}`)

  const ask = async ({ user, token }: Caller, path: string) => {
    const response =
      token === undefined
        ? await fixture.get(`/console/api${path}`, { cookie: opened.get(user ?? '') })
        : await fixture.admin(opened.get(token), 'GET', path)
    return { status: response.status, text: await response.text() }
  }
  const askedBy = ({ token }: Caller): Asked[] =>
    (token === undefined
      ? routes
          .filter(({ path }) => !path.startsWith('/open-id'))
          .map((route) => ({ route, path: route.path }))
      : adminRoutes
    ).filter(({ route }) => route.method === 'GET')

  test.each(Object.entries(callers) as [string, Caller][])(
    '%s gets no data that they may not see',
    async (_name, caller) => {
      const secrets = secretsFor(caller)
      const values = [...fixture.values.values()]
      const leaks: string[] = []
      const found = new Set<string>()
      const statuses = new Set<number>()
      const visible = [...personal.flatMap(ofKey), ...ofAcme(), ...ofGlobex(), accountOnly.gateway]
      const refused: string[] = []
      for (const path of askedBy(caller).flatMap(questionsOf)) {
        const { status, text } = await ask(caller, path)
        statuses.add(status)
        if (status === 400) refused.push(path)
        // A response may contain what the caller sent.
        for (const secret of [...secrets, ...values])
          if (text.includes(secret) && !path.includes(secret)) leaks.push(`${path}: ${secret}`)
        for (const each of visible) if (text.includes(each)) found.add(each)
      }
      expect(leaks).toEqual([])
      expect(statuses.has(200)).toBe(true)
      expect([...statuses].filter((status) => status >= 500)).toEqual([])
      if (caller.sees === 'everything')
        expect(visible.filter((each) => !found.has(each))).toEqual([])
      // A filter that is refused finds nothing for anybody. Few routes with an id take an account.
      expect(refused.filter((path) => !/\/[^?]+\/.*account=acme$/.test(path))).toEqual([])
    },
    patience(120_000),
  )
}

/** Adds people of both accounts. Adds alerts, messages, tokens, balances and a member's limit with texts that occur nowhere else. */
async function addThings({ engine }: OwnerFixture): Promise<void> {
  const { db } = engine
  for (const [id, role] of [
    ['u_max', 'member'],
    ['u_mona', 'viewer'],
  ] as const) {
    const person = { id, email: `${id}@example.com`, password_hash: null, role: 'member' }
    await db
      .insertInto('console_user')
      .values({ ...person, created_at: 1 })
      .execute()
    await db
      .insertInto('membership')
      .values([
        { user_id: id, account_id: 'globex', role: 'owner' },
        { user_id: id, account_id: 'acme', role },
      ])
      .execute()
  }
  for (const name of ['acme', 'globex', 'gateway'] as const) {
    const account_id = name === 'gateway' ? null : name
    const only = accountOnly[name]
    const sealed = { url_sealed: null, url_host: `${name}.example`, secret_sealed: null }
    const limits = {
      credit_below_nano: 1n,
      key_expiry_days: 7,
      spend_factor: 3,
      spend_floor_nano: 1n,
      language: 'en',
    }
    const alert = {
      name: only,
      channel: 'slack',
      emails: '[]',
      kinds: '["credit_low"]',
      enabled: 1,
    }
    await db
      .insertInto('alert')
      .values({ id: `alert_${name}`, account_id, ...alert, ...sealed, ...limits, created_at: 1 })
      .execute()
    const token = { value_hash: `hash ${name}`, value_hint: 'tgat_…abcd', scopes: '["keys"]' }
    await db
      .insertInto('admin_token')
      .values({
        id: `tok_${name}`,
        name: only,
        ...token,
        account_id,
        made_by: 'cli',
        created_at: 1,
      })
      .execute()
    const message = {
      lane: name,
      purpose: 'credit_low',
      alert_id: `alert_${name}`,
      channel: 'slack',
    }
    const state = { payload_sealed: null, state: 'sent', attempts: 1, next_at: 1, claimed_until: 0 }
    await db
      .insertInto('outbox')
      .values({
        ...message,
        ...state,
        account_id,
        target: only,
        last_error: null,
        created_at: 1,
        ended_at: 1,
      })
      .execute()
    if (name !== 'gateway')
      await db
        .updateTable('account')
        .set({ available_nano: BigInt(balance[name]) })
        .where('id', '=', name)
        .execute()
  }
  const keyIds = JSON.stringify([...personal, serviceKey])
  const policy = { scope: 'keys', key_ids: keyIds, readers: 'own-keys', operators: 0 }
  await db
    .insertInto('recording_policy')
    .values({ account_id: 'acme', ...policy, retention_days: 7, stored_bytes: storedBytes })
    .execute()
  await db
    .updateTable('membership')
    .set({ daily_nano: BigInt(memberLimit), budget_version: 1 })
    .where('user_id', '=', 'u_amy')
    .execute()
}
