import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '../../../src/admin-tokens/token-store.ts'
import { actorOfToken } from '../../../src/admin-tokens/token-value.ts'
import { adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'
import { areaOf, moneyMemberOf } from '../../../src/console-api/admin/route-areas.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { type GoodCall, goodCalls, type Prepared, prepare } from './good-calls.ts'

/*
 * Every operation of the admin API that is not a GET, with one successful call each. The table must have a line for each
 * operation, so that a new one cannot lack its row in the audit log.
 */

describe('changes on SQLite', () => changeTests())
if (postgresServerUrl('changes of the admin API on Postgres') !== undefined) {
  describe('changes on Postgres', () => changeTests(freshDatabase))
}

/** Operations that change nothing, although they are no GET. */
const isNoChange = new Set(['POST /check-ledger'])

const routes = adminRoutes.filter(({ route }) => route.method !== 'GET')
const names = routes.map(({ route, path }) => `${route.method} ${path}`)
const none: Prepared = { recording: '', alert: '', message: '', invited: '', token: '', credit: '' }
const movesMoney = routes
  .filter(
    ({ route }) => areaOf(route)?.kind === 'moves-money' || moneyMemberOf(route) !== undefined,
  )
  .map(({ route, path }) => `${route.method} ${path}`)

test('the table has every operation, once', () => {
  expect(
    goodCalls(none)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names.toSorted())
})

function changeTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let prepared: Prepared
  let onLookUp = () => {}
  const tokens = new Map<boolean, { readonly value: string; readonly actor: string }>()

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture({
      ...(database && { databaseUrl: database.url }),
      gateway: { replayRefused: async () => ({ applied: 1, refused: 0, damaged: 0 }) },
      onSelected: (from) => {
        if (from.includes('"admin_token"')) onLookUp()
      },
    })
    tokens.set(false, await makeToken({ name: 'of an operator' }))
    tokens.set(true, await makeToken({ name: 'of an owner', isOfOwner: true }))
    prepared = await prepare(fixture, async (method, path, body, isOfOwner) => {
      const name = `${method} ${path}`
      const response = await send({
        name,
        path,
        ...(body && { body }),
        ...(isOfOwner && { isOfOwner }),
      })
      const told = await response.text()
      if (!response.ok) throw new Error(`${name}: ${told}`)
      return JSON.parse(told)
    })
  }, patience(30_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function makeToken({ name, isOfOwner }: { name: string; isOfOwner?: boolean }) {
    const { engine, vault } = fixture
    const tools = { vault, random: systemRandom, nowMs: fixture.nowMs() }
    const accountId = isOfOwner ? 'acme' : null
    const settings = { name, scopes: ['all'] as const, accountId, expiresAt: null, addresses: null }
    const creator = isOfOwner
      ? ({ kind: 'user', userId: 'u_owen' } as const)
      : ({ kind: 'command-line', actor: 'cli' } as const)
    const { token, value } = await write(engine, tools.nowMs, (writing) =>
      createToken(writing, tools, settings, creator),
    )
    return { value, actor: actorOfToken(token.id), id: token.id, name }
  }

  function send({ name, path, body, isOfOwner }: GoodCall, headers = {}) {
    const { value } = tokens.get(isOfOwner === true) ?? { value: '' }
    const [method = ''] = name.split(' ')
    return fixture.admin(value, method, path, { headers, ...(body && { body }) })
  }

  const callOf = (name: string): GoodCall => {
    const found = goodCalls(prepared).find((each) => each.name === name)
    if (!found) throw new Error(`no call of ${name}`)
    return found
  }

  const auditRows = () =>
    fixture.engine.db.selectFrom('audit').select(['actor', 'action']).orderBy('seq').execute()

  const withBody = goodCalls(none).filter(({ body }) => body !== undefined)

  test.each(withBody)(
    '$name does nothing if its token is revoked while the body arrives',
    async ({ name }) => {
      const good = callOf(name)
      const { value, id } = await makeToken({ name: 'revoked', isOfOwner: good.isOfOwner === true })
      const before = await auditRows()
      const lookedUp = new Promise<void>((resolve) => {
        onLookUp = resolve
      })
      const isRevoked = Promise.withResolvers<void>()
      const text = JSON.stringify(good.body)
      async function* pieces() {
        yield text.slice(0, -1)
        await isRevoked.promise
        yield text.slice(-1)
      }
      const answer = fetch(`${fixture.url}/admin/v1${good.path}`, {
        method: name.split(' ')[0],
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        body: pieces,
      } as unknown as RequestInit)
      await lookedUp
      const { db } = fixture.engine
      await db.updateTable('admin_token').set({ revoked_at: 1 }).where('id', '=', id).execute()
      isRevoked.resolve()
      const response = await answer
      const told = (await response.json()) as { code?: string }
      expect([response.status, told.code]).toEqual([401, 'invalid_token'])
      expect(await auditRows()).toEqual(before)
    },
    patience(30_000),
  )

  test.each(goodCalls(none))(
    '$name is in the audit log with the name of the token',
    async ({ name }) => {
      const good = callOf(name)
      const { actor } = tokens.get(good.isOfOwner === true) ?? { actor: '' }
      const before = await auditRows()
      const isMoney = movesMoney.includes(name)
      const headers = isMoney ? { 'idempotency-key': name.replaceAll(/\W/g, '-') } : {}
      const response = await send(good, headers)
      const told = await response.text()
      expect([response.ok, told]).toEqual([true, told])
      const added = (await auditRows()).slice(before.length)
      if (isNoChange.has(name)) expect(added).toEqual([])
      else expect(added.length).toBeGreaterThan(0)
      expect(added.filter((row) => row.actor !== actor)).toEqual([])
      const log = await fixture.admin(
        tokens.get(false)?.value,
        'GET',
        `/audit?limit=${added.length || 1}`,
      )
      const { rows } = (await log.json()) as { rows: { actorName: string }[] }
      const shown = good.isOfOwner ? 'of an owner' : 'of an operator'
      if (added.length > 0)
        expect(new Set(rows.map((row) => row.actorName))).toEqual(new Set([shown]))

      if (!isMoney) return
      const again = await send(good, headers)
      const repeated = await again.text()
      // Records are replayed once anyway, and a second replay finds none.
      if (name === 'POST /replay') return
      expect([again.headers.get('idempotency-replayed'), repeated]).toEqual(['true', told])
      expect(await auditRows()).toHaveLength(before.length + added.length)
    },
    patience(30_000),
  )
}
