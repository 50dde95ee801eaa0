import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { userDefinition } from '../../../src/accounts/definition/user.ts'
import { actorOfToken } from '../../../src/admin-tokens/token-value.ts'
import { vendorFacts } from '../../../src/app/console/console-ports.ts'
import { describeApi } from '../../../src/console-api/admin/describe-api.ts'
import { managedBodies } from '../../../src/console-api/contract/managed-bodies.ts'
import type { AnyField } from '../../../src/fields/definition.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import type { JsonSchema } from '../../unit/fields/arbitrary-of.ts'
import { readDescription } from './described-api.ts'
import { type Body, type Kind, kinds } from './field-kinds.ts'
import { anyOf } from './state/random-state.ts'

/*
 * Generated from the definitions: every field of every resource is accepted when the resource is created and changed,
 * returned when it is read, and described. The test fails if a handler omits a new field.
 */

/** A value that differs from the field's default. */
function sample(kind: Kind, name: string, field: AnyField, turn: 0 | 1): unknown {
  const given = kind.given?.[name]
  if (given) return given[turn]
  const told = (value: unknown) => JSON.stringify(field.kind.show(field.kind.wire.parse(value)))
  const initial = 'initial' in field ? JSON.stringify(field.kind.show(field.initial)) : undefined
  const values = fc.sample(
    anyOf(`${kind.definition.name}.${name}`, field).filter(
      (value) => value !== null && told(value) !== initial,
    ),
    { numRuns: 20, seed: 7 },
  )
  if (turn === 0) return values[0]
  return values.find((value) => told(value) !== told(values[0])) ?? values[1]
}

function shown(field: AnyField, value: unknown): unknown {
  return field.kind.show(field.kind.wire.parse(value))
}

let fixture: ConsoleFixture
interface Caller {
  readonly token: string
  /** The token in the audit log. */
  readonly actor: string
}
let operator: Caller
let owner: Caller
beforeAll(async () => {
  fixture = await openConsoleFixture({ gateway: { vendors: vendorFacts } })
  const tokens = fixture.engine.db.selectFrom('admin_token').select('id')
  const token = await fixture.makeToken(['all'])
  operator = { token, actor: actorOfToken((await tokens.executeTakeFirstOrThrow()).id) }
  const cookie = await fixture.signIn('u_owen')
  const body = { name: 'own', scopes: ['all'], accountId: 'acme' }
  const response = await fixture.send('POST', '/console/api/tokens', { cookie, body })
  const made = (await response.json()) as { value: string; token: { id: string } }
  owner = { token: made.value, actor: actorOfToken(made.token.id) }
  await send('PUT', '/groups/open', {})
  await send('PUT', '/models/m2', { displayName: 'm2' })
  await send('PUT', '/models/new', { displayName: 'new' })
})
afterAll(() => fixture.close())

/** Only an owner of the account decides about its recordings. */
function callerOf(path: string): Caller {
  return path.endsWith('/recording') ? owner : operator
}

async function send(method: string, path: string, body?: Body): Promise<Body> {
  const { token } = callerOf(path)
  const response = await fixture.admin(token, method, path, body === undefined ? {} : { body })
  const answer = (await response.json()) as Body
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify([body, answer])}`)
  return answer
}

async function actorsOfChanges(): Promise<string[]> {
  const rows = await fixture.engine.db.selectFrom('audit').select('actor').orderBy('seq').execute()
  return rows.map((row) => row.actor)
}

/** Existing resources that contain the parts. */
const places: Readonly<Record<string, string>> = {
  '/upstreams/{id}/credentials': '/upstreams/one/credentials',
  '/accounts/{id}/members': '/accounts/acme/members',
  '/accounts/{id}/credits': '/accounts/acme/credits',
  '/accounts/{id}/recording': '/accounts/acme/recording',
  '/routes': '/routes?upstream=one',
}

const api = readDescription(JSON.parse(JSON.stringify(await describeApi('gateway'))))

function bodyOf([method, path]: readonly [string, string]): JsonSchema {
  const operation = api.operations.find((each) => each.method === method && each.path === path)
  return operation?.body ? api.whole(operation.body) : {}
}

describe.each(kinds)('every field of a %s', (_name, kind) => {
  const fields = Object.entries(kind.definition.fields)
  const open = fields.filter(([, field]) => field.isSecret !== true)
  /** Members of the path are not in the body. */
  const isInPath = (name: string) => name === 'id' && kind.make[0] === 'PUT'
  const made = () =>
    Object.fromEntries(
      fields
        .filter(([name]) => !isInPath(name))
        .map(([name, field]) => [name, sample(kind, name, field, 0)]),
    )
  let id = 'new'
  let making: Promise<Body> | undefined

  /** Creates the resource once for all tests, and returns the response. */
  function toldWhenMade(): Promise<Body> {
    making ??= make()
    return making
  }

  async function make(): Promise<Body> {
    const [method, path] = kind.make
    const place = places[path] ?? path.replace('{id}', 'new')
    const answer = await send(method, place, kind.wrap ? kind.wrap(made()) : made())
    id = kind.idOf?.(answer) ?? 'new'
    return tell()
  }

  async function tell(): Promise<Body> {
    const answer = await send('GET', kind.read.replace('{id}', id))
    return (kind.tell ? kind.tell(answer, id) : answer) as Body
  }

  test('is accepted on creation, and returned', async () => {
    const told = await toldWhenMade()
    for (const [name, field] of open) {
      if (isInPath(name)) continue
      expect([name, told[name]]).toMatchObject([name, shown(field, made()[name])])
    }
  })

  /** The resource, its tag, and the number of rows in the audit log. */
  async function stateNow() {
    const { token } = callerOf(kind.read)
    const response = await fixture.admin(token, 'GET', kind.read.replace('{id}', id))
    const answer = (await response.json()) as Body
    const told = (kind.tell ? kind.tell(answer, id) : answer) as Body
    return { told, tag: response.headers.get('etag'), audited: await actorsOfChanges() }
  }

  test('can be changed alone; the tag changes, and the audit log names the token', async () => {
    if (!kind.change) return
    await toldWhenMade()
    const [method, path] = kind.change
    const placeOf = () =>
      path.endsWith('/members') ? `/accounts/acme/members?user=${id}` : path.replace('{id}', id)
    for (const [name, field] of fields) {
      if (field.isFixed) continue
      const before = await stateNow()
      const value = sample(kind, name, field, 1)
      const answer = await send(method, placeOf(), { [name]: value })
      // A credential with a new value has a new id.
      if (name === 'value') id = kind.idOf?.(answer) ?? id
      const after = await stateNow()
      if (!field.isSecret)
        expect([name, after.told[name]]).toMatchObject([name, shown(field, value)])
      for (const [other, { isSecret }] of fields) {
        if (other === name || isSecret) continue
        expect([name, other, after.told[other]]).toEqual([name, other, before.told[other]])
      }
      // A field with few values may have this value already.
      const isSame = Bun.deepEquals(before.told[name], after.told[name]) && !field.isSecret
      const added = after.audited.slice(before.audited.length)
      const isSameTag = isSame || kind.hasNoTag === true
      const actors = isSame ? [] : [callerOf(kind.read).actor]
      expect([name, after.tag === before.tag, added]).toEqual([name, isSameTag, actors])
      if (field.isSecret) continue
      await send(method, placeOf(), { [name]: value })
      const again = await stateNow()
      expect([name, again]).toEqual([name, after])
    }
  })

  test('a repeated PUT changes nothing, and is not in the audit log', async () => {
    const [method, path] = kind.put ?? kind.make
    if (method !== 'PUT') return
    await toldWhenMade()
    const place = places[path] ?? path.replace('{id}', id)
    const body = kind.wrap ? kind.wrap(made()) : made()
    await send(method, place, body)
    const before = await stateNow()
    await send(method, place, body)
    expect(await stateNow()).toEqual(before)
  })

  test('is described', () => {
    const body = bodyOf(kind.make)
    const inside = kind.wrap ? (body.properties?.['routes']?.items as JsonSchema) : body
    for (const [name, { about }] of fields) {
      if (isInPath(name)) continue
      expect([name, inside.properties?.[name]?.description]).toEqual([name, about])
    }
    if (!kind.change) return
    for (const [name, { about, isFixed }] of fields) {
      const described = bodyOf(kind.change).properties?.[name]?.description
      expect([name, described]).toEqual([name, isFixed ? undefined : about])
    }
  })
})

test('every body of a managed resource belongs to one of them', () => {
  const known = new Set(kinds.flatMap(([, { definition }]) => Object.keys(definition.fields)))
  // Members that belong to a part of the resource; other tests cover them.
  const beside = ['credential', 'price', 'creditNano', 'value', 'routes', 'isSuspended']
  const all = Object.entries(managedBodies).flatMap(([body, schema]) =>
    Object.keys((schema as unknown as { shape: object }).shape).map(
      (name) => [body, name] as const,
    ),
  )
  const unknown = all.filter(([, name]) => !known.has(name) && !beside.includes(name))
  expect(unknown).toEqual([])
  expect(Object.keys(userDefinition.fields)).toContain('isSuspended')
})
