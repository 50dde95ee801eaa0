import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import { newUserDefinition } from '../../../src/accounts/definition/user.ts'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { alertDefinition } from '../../../src/alerts/definition/alert.ts'
import { groupDefinition } from '../../../src/catalog/definition/group.ts'
import { modelDefinition, newPriceDefinition } from '../../../src/catalog/definition/model.ts'
import { routeDefinition } from '../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../src/catalog/definition/upstream.ts'
import { type Definition, without } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { creditDefinition } from '../../../src/ledger/definition/credit.ts'
import { recordingPolicyDefinition } from '../../../src/recording/definition/policy.ts'
import { policy } from './state/rich-document.ts'

/* How the resources of every definition are created, changed and read through the admin API. */

export type Body = Readonly<Record<string, unknown>>

export interface Kind {
  readonly definition: Definition
  /**
   * The operations that create and change the resource, as in the API description; `{id}` is `new`, or the id that
   * `idOf` finds in the response.
   */
  readonly make: readonly [method: string, path: string]
  readonly change?: readonly [method: string, path: string]
  /** The operation that replaces the resource, if it is not the one that creates it. */
  readonly put?: readonly [method: string, path: string]
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
  /** Whether the answer of the read has no tag. */
  readonly hasNoTag?: true
}

const rowsOf = (answer: Body, list: string) => answer[list] as readonly Body[]
const later = 4_102_444_800_000

export const kinds: readonly (readonly [string, Kind])[] = [
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
        proxy: ['http://proxy.example.com:3128', 'http://user:secret@proxy.example.com:3128'],
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
      put: ['PUT', '/upstreams/{id}/credentials'],
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
      put: ['PUT', '/alerts/{id}'],
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
      hasNoTag: true,
      given: {
        scope: ['keys', 'all'],
        keyIds: [['key_a1', 'key_a2'], ['key_a2']],
        retentionDays: [40, 50],
      },
    },
  ],
]
