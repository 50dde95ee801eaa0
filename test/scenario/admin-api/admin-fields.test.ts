import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import { newUserDefinition, userDefinition } from '../../../src/accounts/definition/user.ts'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { alertDefinition } from '../../../src/alerts/definition/alert.ts'
import { vendorFacts } from '../../../src/app/console/console-ports.ts'
import { groupDefinition } from '../../../src/catalog/definition/group.ts'
import { modelDefinition, newPriceDefinition } from '../../../src/catalog/definition/model.ts'
import { routeDefinition } from '../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../src/catalog/definition/upstream.ts'
import { describeApi } from '../../../src/console-api/admin/describe-api.ts'
import { managedBodies } from '../../../src/console-api/contract/managed-bodies.ts'
import { type AnyField, type Definition, without } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { creditDefinition } from '../../../src/ledger/definition/credit.ts'
import { recordingPolicyDefinition } from '../../../src/recording/definition/policy.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import type { JsonSchema } from '../../unit/fields/arbitrary-of.ts'
import { readDescription } from './described-api.ts'
import { anyOf } from './state/random-state.ts'
import { policy } from './state/rich-document.ts'

/*
 * Generated from the definitions: every field of every resource is accepted when the resource is created and changed,
 * returned when it is read, and described. The test fails if a handler omits a new field.
 */

type Body = Readonly<Record<string, unknown>>

interface Kind {
  readonly definition: Definition
  /**
   * The operations that create and change the resource, as in the API description; `{id}` is `new`, or the id that
   * `idOf` finds in the response.
   */
  readonly make: readonly [method: string, path: string]
  readonly change?: readonly [method: string, path: string]
  readonly read: string
  readonly idOf?: (made: Body) => string
  /** The resource in the response of the read. */
  readonly tell?: (answer: Body, id: string) => unknown
  /**
   * Values for creation and change of the fields that refer to other resources or follow a rule that no schema
   * expresses.
   */
  readonly given?: Readonly<Record<string, readonly [unknown, unknown]>>
  readonly wrap?: (body: Body) => Body
}

const rowsOf = (answer: Body, list: string) => answer[list] as readonly Body[]
const later = 4_102_444_800_000

const kinds: readonly (readonly [string, Kind])[] = [
  [
    'group',
    {
      definition: groupDefinition,
      make: ['PUT', '/groups/{id}'],
      change: ['PATCH', '/groups/{id}'],
      read: '/groups/{id}',
      given: {
        grants: [[{ accountId: 'acme', until: later }], null],
        fallbacks: [{ 'gpt-x': ['m2'] }, {}],
      },
    },
  ],
  [
    'model',
    {
      definition: modelDefinition,
      make: ['PUT', '/models/{id}'],
      change: ['PATCH', '/models/{id}'],
      read: '/models/{id}',
    },
  ],
  [
    'price version',
    {
      definition: newPriceDefinition,
      make: ['POST', '/models/{id}/prices'],
      read: '/models/{id}',
      given: { validFrom: [later, later] },
      tell: (answer) => rowsOf(answer, 'versions')[0],
    },
  ],
  [
    'upstream',
    {
      definition: upstreamDefinition,
      make: ['PUT', '/upstreams/{id}'],
      change: ['PATCH', '/upstreams/{id}'],
      read: '/upstreams/{id}',
      given: {
        protocol: ['responses', 'chat-completions'],
        vendor: ['openai', 'openai-compatible'],
        parameters: [policy, { drop: ['seed'] }],
      },
      tell: (answer) => ({ id: answer['id'], ...(answer['settings'] as Body) }),
    },
  ],
  [
    'credential',
    {
      definition: credentialDefinition,
      make: ['POST', '/upstreams/{id}/credentials'],
      change: ['PATCH', '/credentials/{id}'],
      read: '/credentials/{id}',
      idOf: (made) => String(made['id']),
    },
  ],
  [
    'route',
    {
      definition: routeDefinition,
      make: ['PUT', '/routes'],
      read: '/routes?upstream=one',
      given: { group: ['default', ''], model: ['gpt-x', ''], upstream: ['one', ''] },
      wrap: (route) => ({ routes: [route] }),
      tell: (answer) => rowsOf(answer, 'routes')[0],
    },
  ],
  [
    'account',
    {
      definition: accountDefinition,
      make: ['PUT', '/accounts/{id}'],
      change: ['PATCH', '/accounts/{id}'],
      read: '/accounts/{id}',
    },
  ],
  [
    'member',
    {
      definition: memberDefinition,
      make: ['POST', '/accounts/{id}/members'],
      change: ['PATCH', '/accounts/{id}/members'],
      read: '/accounts/acme',
      idOf: (made) => String((made['member'] as Body)['userId']),
      tell: (answer, id) => rowsOf(answer, 'members').find((each) => each['userId'] === id),
    },
  ],
  [
    'user',
    {
      definition: newUserDefinition,
      make: ['POST', '/users'],
      change: ['PATCH', '/users/{id}'],
      read: '/users/{id}',
      idOf: (made) => String((made['user'] as Body)['id']),
      given: {
        email: ['of-all-fields@example.com', ''],
        accounts: [[{ id: 'acme', role: 'viewer' }], []],
      },
    },
  ],
  [
    'key',
    {
      definition: keyDefinition,
      make: ['PUT', '/keys/{id}'],
      change: ['PATCH', '/keys/{id}'],
      read: '/keys/{id}',
      given: {
        accountId: ['acme', ''],
        ownerId: ['u_ann', ''],
        groups: [['default'], ['default', 'open']],
        expiresAt: [later, later + 1],
      },
    },
  ],
  [
    'token',
    {
      definition: tokenDefinition,
      make: ['POST', '/tokens'],
      read: '/tokens?account=acme',
      idOf: (made) => String((made['token'] as Body)['id']),
      given: { accountId: ['acme', ''], expiresAt: [later, later], scopes: [['keys'], []] },
      tell: (answer, id) => rowsOf(answer, 'tokens').find((each) => each['id'] === id),
    },
  ],
  [
    'alert by webhook',
    {
      definition: alertDefinition,
      make: ['POST', '/alerts'],
      change: ['PATCH', '/alerts/{id}'],
      read: '/alerts/{id}',
      idOf: (made) => String(made['id']),
      given: {
        accountId: ['acme', ''],
        channel: ['webhook', ''],
        emails: [[], []],
        url: ['https://one.example.com/a', 'https://two.example.com/b'],
        kinds: [['credit_low'], ['key_expiring', 'spend_unusual']],
      },
    },
  ],
  [
    'alert by email',
    {
      definition: without(alertDefinition, ['url', 'secret']),
      make: ['POST', '/alerts'],
      change: ['PATCH', '/alerts/{id}'],
      read: '/alerts/{id}',
      idOf: (made) => String(made['id']),
      given: {
        accountId: ['acme', ''],
        channel: ['email', ''],
        emails: [['ann@example.com'], ['owen@example.com']],
        kinds: [['credit_low'], ['key_expiring', 'spend_unusual']],
      },
    },
  ],
  [
    'credit',
    {
      definition: creditDefinition,
      make: ['POST', '/accounts/{id}/credits'],
      read: '/accounts/acme',
      tell: (answer) => rowsOf(answer, 'credits').find((each) => each['externalId'] === 'bill-7'),
      given: { amountNano: ['7000000001', ''], externalId: ['bill-7', ''] },
    },
  ],
  [
    'recording policy',
    {
      definition: recordingPolicyDefinition,
      make: ['PATCH', '/accounts/{id}/recording'],
      change: ['PATCH', '/accounts/{id}/recording'],
      read: '/accounts/acme/recording',
      idOf: () => 'acme',
      given: {
        scope: ['keys', 'all'],
        keyIds: [['key_a1', 'key_a2'], ['key_a2']],
        retentionDays: [40, 50],
      },
    },
  ],
]

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
let token: string
let ownToken: string
beforeAll(async () => {
  fixture = await openConsoleFixture({ gateway: { vendors: vendorFacts } })
  token = await fixture.makeToken(['all'])
  const own = { name: 'own', scopes: ['all'], accountId: 'acme' }
  const cookie = await fixture.signIn('u_owen')
  const made = await fixture.send('POST', '/console/api/tokens', { cookie, body: own })
  ownToken = String(((await made.json()) as Body)['value'])
  await send('PUT', '/groups/open', {})
  await send('PUT', '/models/m2', { displayName: 'm2' })
  await send('PUT', '/models/new', { displayName: 'new' })
})
afterAll(() => fixture.close())

async function send(method: string, path: string, body?: Body): Promise<Body> {
  // Only the account itself decides about its recordings.
  const of = path.endsWith('/recording') ? ownToken : token
  const response = await fixture.admin(of, method, path, body === undefined ? {} : { body })
  const answer = (await response.json()) as Body
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify([body, answer])}`)
  return answer
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

  test('can be changed alone', async () => {
    if (!kind.change) return
    await toldWhenMade()
    const [method, path] = kind.change
    const placeOf = () =>
      path.endsWith('/members') ? `/accounts/acme/members?user=${id}` : path.replace('{id}', id)
    for (const [name, field] of fields) {
      if (field.isFixed) continue
      const before = await tell()
      const value = sample(kind, name, field, 1)
      const answer = await send(method, placeOf(), { [name]: value })
      // A credential with a new value has a new id.
      if (name === 'value') id = kind.idOf?.(answer) ?? id
      const after = await tell()
      if (!field.isSecret) expect([name, after[name]]).toMatchObject([name, shown(field, value)])
      for (const [other, { isSecret }] of fields) {
        if (other === name || isSecret) continue
        expect([name, other, after[other]]).toEqual([name, other, before[other]])
      }
    }
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
