import type { AdminArea, OperationKind, ScopedOperation } from '../../core/access/admin-scope.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { OperationRoute } from '../routes/route.ts'

/** The area of the admin API that a route belongs to, and its kind of access. */
export interface RouteArea {
  readonly area: AdminArea
  readonly kind: OperationKind
  /** A member of the body that moves money. If it is not zero, the call also needs the permission to move money. */
  readonly moneyMember?: string
}

const inArea = (area: AdminArea) =>
  ({
    reads: { area, kind: 'reads' },
    changes: { area, kind: 'changes' },
    movesMoney: { area, kind: 'moves-money' },
    reveals: { area, kind: 'reveals' },
    grants: { area, kind: 'grants' },
  }) as const satisfies Readonly<Record<string, RouteArea>>

const keys = inArea('keys')
const catalogue = inArea('catalogue')
const accounts = inArea('accounts')
const money = inArea('money')
const usage = inArea('usage')
const recordings = inArea('recordings')
const system = inArea('system')
/** Operations about the signed-in person, and those that only the console's pages need. No token may call them. */
const personal: RouteArea = { area: 'personal', kind: 'changes' }

const areas: Readonly<Record<string, RouteArea>> = {
  'GET /session': personal,
  'POST /sign-in': personal,
  'POST /sign-in/passkey/start': personal,
  'POST /sign-in/passkey': personal,
  'POST /sign-in-link': personal,
  'POST /invitation': personal,
  'POST /password-reset/request': personal,
  'POST /password-reset': personal,
  'GET /open-id/start': personal,
  'GET /open-id/callback': personal,
  'POST /sign-out': personal,
  'POST /reauthenticate': personal,
  'POST /reauthenticate/passkey/start': personal,
  'POST /reauthenticate/passkey': personal,
  'POST /password': personal,
  'PATCH /me': personal,
  'POST /invitations/accept': personal,
  'POST /invitations/decline': personal,
  'GET /sessions': personal,
  'DELETE /sessions/{id}': personal,
  'POST /sessions/close-others': personal,
  'GET /passkeys': personal,
  'POST /passkeys/start': personal,
  'POST /passkeys': personal,
  'PATCH /passkeys/{id}': personal,
  'DELETE /passkeys/{id}': personal,
  'POST /totp/start': personal,
  'POST /totp/confirm': personal,
  'POST /totp/remove': personal,

  'GET /keys': keys.reads,
  'GET /key-options': keys.reads,
  'POST /keys': keys.changes,
  'GET /keys/{id}': keys.reads,
  'PATCH /keys/{id}': keys.changes,
  'PUT /keys/{id}': keys.changes,
  'DELETE /keys/{id}': keys.changes,
  'POST /keys/{id}/reveal': keys.reveals,
  'POST /keys/{id}/rotate': keys.changes,
  'POST /keys/{id}/convert': keys.changes,

  'GET /overview': usage.reads,
  'GET /usage': usage.reads,
  'GET /usage/totals': usage.reads,
  'GET /usage/series': usage.reads,
  'GET /usage/facets': usage.reads,
  'GET /usage/export': usage.reads,
  'GET /usage/{id}': usage.reads,
  'GET /models': catalogue.reads,
  'GET /billing': money.reads,
  // A program calls models with a key.
  'GET /playground/options': personal,
  'GET /playground/{id}/{rest}': personal,
  'POST /playground/{id}/{rest}': personal,

  'GET /accounts/{id}': accounts.reads,
  'PATCH /accounts/{id}': accounts.changes,
  'POST /accounts/{id}/members': accounts.grants,
  'PATCH /accounts/{id}/members': accounts.grants,
  'DELETE /accounts/{id}/members': accounts.grants,

  'GET /accounts/{id}/recording': accounts.reads,
  // Decides who may read what people have written.
  'PATCH /accounts/{id}/recording': accounts.grants,
  // The list says who sent what when, but a filter also tells whether an end user exists: not for the scope `read`.
  'GET /accounts/{id}/recordings': recordings.reveals,
  'POST /accounts/{id}/recordings/export': recordings.reveals,
  'POST /accounts/{id}/recordings/erase': recordings.changes,
  'POST /recordings/{id}/reveal': recordings.reveals,

  'GET /tokens': accounts.reads,
  'POST /tokens': accounts.grants,
  'GET /tokens/{id}': accounts.reads,
  'DELETE /tokens/{id}': accounts.grants,

  'GET /alerts': accounts.reads,
  'POST /alerts': accounts.changes,
  'GET /alerts/{id}': accounts.reads,
  'PATCH /alerts/{id}': accounts.changes,
  'PUT /alerts/{id}': accounts.changes,
  'DELETE /alerts/{id}': accounts.changes,
  'GET /alerts/{id}/conditions': accounts.reads,
  'POST /alerts/{id}/test': accounts.changes,
  'GET /messages': accounts.reads,
  'POST /messages/{id}/resend': accounts.changes,
  // Sends to the signed-in person.
  'POST /operate/mail/test': personal,

  'GET /operate/vendors': catalogue.reads,
  'GET /operate/vendors/{id}/models': catalogue.reads,
  'GET /operate/upstreams': catalogue.reads,
  'POST /operate/upstreams': catalogue.changes,
  'GET /operate/upstreams/{id}': catalogue.reads,
  'PATCH /operate/upstreams/{id}': catalogue.changes,
  'PUT /operate/upstreams/{id}': catalogue.changes,
  'DELETE /operate/upstreams/{id}': catalogue.changes,
  // These two send requests with the stored credential. The second one may cost money at the vendor.
  'GET /operate/upstreams/{id}/models': catalogue.changes,
  'POST /operate/upstreams/{id}/test': catalogue.changes,
  'POST /operate/upstreams/{id}/credentials': catalogue.changes,
  'PUT /operate/upstreams/{id}/credentials': catalogue.changes,
  'GET /operate/credentials/{id}': catalogue.reads,
  'PATCH /operate/credentials/{id}': catalogue.changes,
  'DELETE /operate/credentials/{id}': catalogue.changes,
  'GET /operate/routes': catalogue.reads,
  'PUT /operate/routes': catalogue.changes,
  'GET /operate/models': catalogue.reads,
  'POST /operate/models': catalogue.changes,
  'GET /operate/model-gaps': catalogue.reads,
  'GET /operate/models/{id}': catalogue.reads,
  'PATCH /operate/models/{id}': catalogue.changes,
  'PUT /operate/models/{id}': catalogue.changes,
  'DELETE /operate/models/{id}': catalogue.changes,
  'POST /operate/models/{id}/prices': catalogue.changes,
  'GET /operate/groups': catalogue.reads,
  'POST /operate/groups': catalogue.changes,
  'GET /operate/groups/{id}': catalogue.reads,
  'PATCH /operate/groups/{id}': catalogue.changes,
  'PUT /operate/groups/{id}': catalogue.changes,
  'DELETE /operate/groups/{id}': catalogue.changes,
  'POST /operate/explain': catalogue.reads,

  'GET /operate/accounts': accounts.reads,
  'POST /operate/accounts': { ...accounts.changes, moneyMember: 'creditNano' },
  'GET /operate/accounts/{id}': accounts.reads,
  'PATCH /operate/accounts/{id}': accounts.changes,
  'PUT /operate/accounts/{id}': accounts.changes,
  'POST /operate/accounts/{id}/credits': money.movesMoney,
  'POST /operate/credits/{id}/reverse': money.movesMoney,
  'POST /operate/accounts/{id}/reverse': money.movesMoney,
  'GET /operate/accounts/{id}/statement': money.reads,
  // Lets an account spend although its ledger does not balance.
  'POST /operate/accounts/{id}/release': money.movesMoney,

  'GET /operate/users': accounts.reads,
  'POST /operate/users': accounts.grants,
  'GET /operate/users/{id}': accounts.reads,
  'PATCH /operate/users/{id}': accounts.grants,
  'PUT /operate/users/{id}': accounts.grants,
  'DELETE /operate/users/{id}': accounts.grants,
  'POST /operate/users/{id}/sign-in-link': accounts.grants,
  'POST /operate/users/{id}/vouch': accounts.grants,
  'POST /operate/users/{id}/totp/remove': accounts.grants,
  'POST /operate/users/{id}/passkeys/remove': accounts.grants,
  'POST /operate/users/{id}/open-id/remove': accounts.grants,

  'GET /operate/audit': system.reads,
  'GET /operate/audit/export': system.reads,
  'GET /operate/system': system.reads,
  // Reads the whole ledger and changes nothing.
  'POST /operate/check-ledger': system.reads,
  // Applies charges that the database refused earlier.
  'POST /operate/replay': money.movesMoney,
  'GET /operate/provision': system.reads,
  // A document may create users and keys, set passwords and grant credit.
  'POST /operate/provision': system.grants,
  'GET /setup': personal,
  'POST /setup/close': personal,
  'POST /setup/model': personal,
}

type RouteKey = Pick<OperationRoute, 'method' | 'path'>

export function areaOf({ method, path }: RouteKey): RouteArea | undefined {
  return areas[`${method} ${path}`]
}

/** The member of the body that moves money, if any. */
export function moneyMemberOf(route: RouteKey): string | undefined {
  return areaOf(route)?.moneyMember
}

/** All keys of the table, for a test. */
export const areaKeys: readonly string[] = Object.keys(areas)

/** All permissions that a call needs: see `mayCall`. No token may call a route without an area. */
export function operationsOf(
  route: RouteKey & Pick<OperationRoute, 'who'>,
  body: JsonObject = {},
): readonly ScopedOperation[] {
  const { area, kind, moneyMember } = areaOf(route) ?? personal
  const reach = route.who === 'admin' ? 'gateway' : 'account'
  const operation: ScopedOperation = { area, kind, reach }
  const amount = moneyMember === undefined ? undefined : body[moneyMember]
  if (amount === undefined || amount === null || amount === '0') return [operation]
  return [operation, { area: 'money', kind: 'moves-money', reach }]
}
