import fc from 'fast-check'
import { z } from 'zod'
import { newAccountDefinition } from '../../../../src/accounts/definition/account.ts'
import { provisionedUserDefinition } from '../../../../src/accounts/definition/user.ts'
import { alertDefinition } from '../../../../src/alerts/definition/alert.ts'
import { groupDefinition } from '../../../../src/catalog/definition/group.ts'
import { provisionedModelDefinition } from '../../../../src/catalog/definition/model.ts'
import { routeDefinition } from '../../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../../src/catalog/definition/upstream.ts'
import {
  type AnyField,
  type Definition,
  without,
  writtenName,
} from '../../../../src/fields/definition.ts'
import type { ObjectKind } from '../../../../src/fields/object-kind.ts'
import { keyDefinition } from '../../../../src/keys/definition/key.ts'
import { arbitraryOf, type JsonSchema } from '../../../unit/fields/arbitrary-of.ts'

export type Entry = Readonly<Record<string, unknown>>

/** All definitions with entries in the file, by the position of these entries. */
export const definitions: Readonly<Record<string, Definition>> = {
  groups: groupDefinition,
  models: provisionedModelDefinition,
  upstreams: upstreamDefinition,
  credentials: credentialDefinition,
  routes: routeDefinition,
  accounts: newAccountDefinition,
  users: provisionedUserDefinition,
  keys: keyDefinition,
  alerts: without(alertDefinition, ['url', 'secret']),
}

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUBBQiUcqeJXFjkud6x+Ra7sI+Xo0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJdGVzdCByb290MCAXDTI2MTExNTA5MDYwMFoYDzIxMjYxMDIy
MDkwNjAwWjAUMRIwEAYDVQQDDAl0ZXN0IHJvb3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARSD0f/8+wKL3LmtW0Ailflg9AYJSy2Vyx5t1ij03MCuIDZlURzVLZ3
J0JWlkMuQdBzDa+Y2M7UAchrjCP8yF25o1MwUTAdBgNVHQ4EFgQU4+jUbRpsyPtx
yTLTUMTZ7ZHmj0UwHwYDVR0jBBgwFoAU4+jUbRpsyPtxyTLTUMTZ7ZHmj0UwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAN8yUuz0iOww/cRfexDxAu
6M0nbyv7qBuDerRlZ07DFQIgBP5fvW7jA2X0crstT0DDRyplszDkBJybZbXM6Blm
8Vk=
-----END CERTIFICATE-----
`
export const policy = {
  rename: { user: 'end_user' },
  drop: ['seed'],
  clamp: { temperature: [0, null] },
  default: { top_p: 0.9 },
  outputLimit: 'max_tokens',
  headers: { 'x-team': 'red' },
}
const step = { above: 1000, input: '2.5', cacheRead: '1', cacheWrite5m: '3', cacheWrite1h: '4' }
const later = { input: '7', cacheRead: '8', cacheWrite5m: '9', cacheWrite1h: '10', output: '11' }

/** Fields that refer to other entries or have a rule that no description expresses; all others are generated. */
const given: Readonly<Record<string, unknown>> = {
  'groups.id': 'rich',
  'groups.accounts': [{ id: 'acme', until: '2031-01-02T03:04:05.000Z' }, { id: 'other' }],
  'groups.fallbacks': { rich: ['plain'] },
  'models.id': 'rich',
  'models.price.longPrompts': [{ ...step, output: '20' }],
  'models.plannedPrices': [
    { from: '2098-01-01T00:00:00.000Z', ...later, request: '0.25', longPrompts: [] },
    { from: '2099-01-01T00:00:00.000Z', ...later, features: { webSearch: null } },
  ],
  'upstreams.id': 'rich',
  'upstreams.vendor': 'openai-compatible',
  'upstreams.protocol': 'responses',
  'upstreams.baseUrl': 'https://api.example.com/v1',
  'upstreams.ca': certificate,
  'upstreams.parameters': policy,
  'upstreams.proxy': 'http://user:proxy-secret@proxy.example.com:3128',
  'credentials.name': 'second',
  'credentials.value': 'credential-secret-2',
  'routes.id': 'rich',
  'routes.parameters': policy,
  'accounts.id': 'acme',
  'accounts.credit': '12.5',
  'users.email': 'rich@example.com',
  'users.accounts': [{ id: 'acme', role: 'owner' }, { id: 'other' }],
  'keys.account': 'acme',
  'keys.owner': 'rich@example.com',
  'keys.groups': ['rich', 'plain'],
  'alerts.account': 'acme',
  'alerts.channel': 'email',
  'alerts.emails': ['plain@example.com'],
  'alerts.kinds': ['credit_low', 'budget_low'],
}

/** An entry in which every field has a value other than its default. */
function richEntry(place: keyof typeof definitions): Entry {
  return fieldsOf(place, definitions[place]?.fields ?? {})
}

function fieldsOf(place: string, fields: Readonly<Record<string, AnyField>>): Entry {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    const written = writtenName(name, field)
    return written === null ? [] : [[written, sampleOf(`${place}.${written}`, field)] as const]
  })
  return Object.fromEntries(entries)
}

function sampleOf(path: string, field: AnyField): unknown {
  if (Object.hasOwn(given, path)) return given[path]
  const kind = field.kind as ObjectKind<unknown, unknown>
  if (kind.fields !== undefined) return fieldsOf(path, kind.fields)
  const initial = 'initial' in field ? kind.show(field.initial) : undefined
  const schema = z.toJSONSchema(kind.wire, { io: 'input' }) as JsonSchema
  const good = arbitraryOf(schema).filter((value) => {
    const reading = kind.wire.safeParse(value)
    if (!reading.success || value === null) return false
    return JSON.stringify(kind.show(reading.data)) !== JSON.stringify(initial)
  })
  const [value] = fc.sample(good, { numRuns: 1, seed: 7 })
  return kind.write(kind.wire.parse(value))
}

export const secrets = {
  first: 'credential-secret-1',
  second: 'credential-secret-2',
  key: 'sk-a-key-value-of-this-document',
  password: 'a password of this document',
  proxy: 'proxy-secret',
}

/** A file that uses every field. */
interface RichDocument extends Readonly<Record<string, readonly Entry[]>> {
  readonly upstreams: readonly (Entry & {
    readonly credentials?: readonly Entry[]
    readonly models: readonly (string | Entry)[]
  })[]
}

export function richDocument(): RichDocument {
  return {
    groups: [richEntry('groups'), { id: 'plain' }],
    models: [richEntry('models'), { id: 'plain', price: { input: 1, output: 2 } }, { id: 'bare' }],
    upstreams: [
      {
        ...richEntry('upstreams'),
        credentials: [{ name: 'first', value: secrets.first }, richEntry('credentials')],
        groups: ['plain', 'rich'],
        priority: 3,
        models: [
          'plain',
          { ...richEntry('routes'), groups: ['plain'] },
          { ...richEntry('routes'), as: 'another', groups: ['rich'] },
        ],
      },
      { id: 'idle', vendor: 'openai', credential: secrets.first, groups: ['plain'], models: [] },
    ],
    accounts: [richEntry('accounts'), { id: 'other' }],
    users: [
      { ...richEntry('users'), password: secrets.password },
      { email: 'plain@example.com', accounts: ['acme'] },
    ],
    keys: [
      { id: 'rich', ...richEntry('keys'), value: secrets.key },
      { id: 'plain', account: 'other', groups: ['plain'] },
    ],
    alerts: [{ id: 'rich', ...richEntry('alerts') }],
  }
}
