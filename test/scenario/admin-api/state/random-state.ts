import fc from 'fast-check'
import { z } from 'zod'
import { accountDefinition } from '../../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../../src/accounts/definition/member.ts'
import { newUserDefinition, userDefinition } from '../../../../src/accounts/definition/user.ts'
import { listMembers } from '../../../../src/accounts/member-store.ts'
import {
  accountAlertKinds,
  alertDefinition,
  alertKinds,
} from '../../../../src/alerts/definition/alert.ts'
import { groupDefinition } from '../../../../src/catalog/definition/group.ts'
import { modelDefinition, newPriceDefinition } from '../../../../src/catalog/definition/model.ts'
import { routeDefinition } from '../../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../../src/catalog/definition/upstream.ts'
import type { AnyField, Definition, Fields } from '../../../../src/fields/definition.ts'
import { emailKind, idKind } from '../../../../src/fields/kinds.ts'
import type { ObjectKind } from '../../../../src/fields/object-kind.ts'
import { keyDefinition } from '../../../../src/keys/definition/key.ts'
import type { ConsoleFixture } from '../../../support/console/console-fixture.ts'
import { arbitraryOf, type JsonSchema } from '../../../unit/fields/arbitrary-of.ts'
import { certificate, policy } from './rich-document.ts'

/* A random state, created call by call through the admin API, with bodies generated from the definitions. */

type Draw = <Value>(arbitrary: fc.Arbitrary<Value>) => Value
type Body = Readonly<Record<string, unknown>>

const price = ['inputNano', 'cacheReadNano', 'cacheWrite5mNano', 'cacheWrite1hNano', 'outputNano']
const aboveOf = (aboveTokens: number, nano: string) => ({
  aboveTokens,
  ...Object.fromEntries(price.map((name) => [name, nano])),
})

/** Generators for fields with a rule that no schema expresses; all other fields come from the definition. */
const drawn: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'upstream.ca': fc.constantFrom(null, certificate),
  'upstream.vendor': fc.constantFrom('openai', 'openai-compatible', 'anthropic'),
  'upstream.baseUrl': fc.constantFrom('https://api.example.com/v1', 'http://[::1]:8080/ä b'),
  'upstream.proxy': fc.constantFrom(null, 'http://user:p%40ss@proxy.example.com:3128'),
  'upstream.parameters': fc.constantFrom(null, {}, policy),
  'route.parameters': fc.constantFrom(null, {}, policy),
  'new price.price.longPrompts': fc.constantFrom(
    [],
    [aboveOf(1, '7')],
    [aboveOf(1_000, '0'), aboveOf(200_000, '1000000000000')],
  ),
}

export function anyOf(path: string, { kind }: AnyField): fc.Arbitrary<unknown> {
  const known = drawn[path]
  if (known) return known
  const { fields } = kind as ObjectKind<unknown>
  const isGood = (value: unknown) => kind.wire.safeParse(value).success
  const value = fields
    ? recordOf(path, fields)
    : arbitraryOf(z.toJSONSchema(kind.wire, { io: 'input' }) as JsonSchema)
  const good = value.filter(isGood)
  return fields && isGood(null) ? fc.option(good) : good
}

function recordOf(path: string, fields: Fields): fc.Arbitrary<Body> {
  const members = Object.entries(fields).map(
    ([name, field]) => [name, anyOf(`${path}.${name}`, field)] as const,
  )
  const needed = Object.entries(fields).filter(
    ([, field]) => !('initial' in field || 'isMaybe' in field),
  )
  return fc.record(Object.fromEntries(members), { requiredKeys: needed.map(([name]) => name) })
}

/** A body with any of its fields; the caller provides those that refer to other resources. */
function bodyOf({ name, fields }: Definition, ...others: string[]): fc.Arbitrary<Body> {
  const own = Object.entries(fields).filter(([field]) => !others.includes(field))
  return recordOf(name, Object.fromEntries(own))
}

const textOf = (kind: typeof idKind) =>
  (
    arbitraryOf(z.toJSONSchema(kind.wire, { io: 'input' }) as JsonSchema) as fc.Arbitrary<string>
  ).filter((text) => kind.wire.safeParse(text).success)
/** Includes short ids, and ids that could be confused with parts of a path or a file. */
const ids = fc.uniqueArray(
  fc.oneof(textOf(idKind), fc.constantFrom('null', '1', 'all', '1e3', 'true', 'a/b', 'a:b', 'A')),
  { minLength: 1, maxLength: 4 },
)
const emails = fc.uniqueArray(textOf(emailKind), {
  maxLength: 3,
  selector: (email) => email.toLowerCase(),
})
const some = <Value>(values: readonly Value[], most = 3) =>
  fc.uniqueArray(fc.constantFrom(...values), { maxLength: most })

/** The secrets of every alert with a webhook. */
export const hook = {
  url: 'https://hooks.example.com/a',
  secret: 'a-secret-that-signs-webhooks',
}

export interface Made {
  readonly done: number
  readonly refused: readonly string[]
}

/** Creates a state. Bodies that break a rule that no schema expresses are refused, and left out. */
export async function makeState(fixture: ConsoleFixture, token: string, draw: Draw): Promise<Made> {
  let done = 0
  const refused: string[] = []
  const call = async (method: string, path: string, body: object): Promise<Body | undefined> => {
    const response = await fixture.admin(token, method, path, { body })
    const text = await response.text()
    if (response.ok) {
      done += 1
      return JSON.parse(text) as Body
    }
    if (response.status !== 409 && response.status !== 422) {
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${text}`)
    }
    refused.push(text)
    return undefined
  }
  const put = (root: string, id: string, body: object) =>
    call('PUT', `${root}/${encodeURIComponent(id)}`, body)

  const accounts = draw(ids)
  for (const id of accounts) await put('/accounts', id, draw(bodyOf(accountDefinition, 'id')))
  const models = draw(ids)
  for (const id of models) await makeModel(id)
  const groups = draw(ids)
  for (const id of groups) await makeGroup(id)
  for (const id of draw(ids)) await makeUpstream(id)
  for (const email of draw(emails)) await makeUser(email)
  for (const id of draw(ids)) await makeKey(id)
  for (let n = draw(fc.nat(3)); n > 0; n -= 1) await makeAlert()
  return { done, refused }

  async function makeModel(id: string): Promise<void> {
    await put('/models', id, draw(bodyOf(modelDefinition, 'id')))
    const prices = draw(fc.array(bodyOf(newPriceDefinition, 'validFrom'), { maxLength: 3 }))
    for (const body of prices) {
      fixture.passTime(1_000)
      await call('POST', `/models/${encodeURIComponent(id)}/prices`, body)
    }
    const [first = {}, second = {}] = prices
    const soonMs = fixture.nowMs() + 86_400_000
    for (const [body, validFrom] of [
      [first, soonMs],
      [second, 4_102_444_800_000],
    ] as const) {
      if (!draw(fc.boolean()) || body === undefined || !('price' in body)) continue
      await call('POST', `/models/${encodeURIComponent(id)}/prices`, { ...body, validFrom })
    }
  }

  async function makeGroup(id: string): Promise<void> {
    const body = draw(bodyOf(groupDefinition, 'id', 'grants', 'fallbacks'))
    const grants = draw(fc.option(some(accounts)))?.map((accountId) => ({
      accountId,
      until: draw(fc.constantFrom(null, fixture.nowMs() + 5_000, 4_102_444_800_000)),
    }))
    const fallbacks = draw(some(models)).map((model) => [
      model,
      draw(some(models)).filter((each) => each !== model),
    ])
    const said = { ...body, grants: grants ?? null, fallbacks: Object.fromEntries(fallbacks) }
    await put('/groups', id, said)
  }

  async function makeUpstream(id: string): Promise<void> {
    if (!(await put('/upstreams', id, draw(bodyOf(upstreamDefinition, 'id'))))) return
    for (const body of draw(fc.array(bodyOf(credentialDefinition), { maxLength: 3 }))) {
      await call('POST', `/upstreams/${encodeURIComponent(id)}/credentials`, body)
    }
    const places = groups.flatMap((group) => models.map((model) => ({ group, model })))
    const routes = draw(fc.array(fc.constantFrom(...places), { maxLength: 5 })).map((place) => ({
      ...draw(bodyOf(routeDefinition, 'group', 'model', 'upstream')),
      ...place,
      upstream: id,
    }))
    await call('PUT', `/routes?upstream=${encodeURIComponent(id)}`, { routes })
  }

  async function makeUser(email: string): Promise<void> {
    const memberships = draw(some(accounts)).map((id) => ({
      id,
      role: draw(anyOf('member.role', memberDefinition.fields.role)),
    }))
    const body = { ...draw(bodyOf(newUserDefinition, 'email', 'accounts')), email }
    const made = await call('POST', '/users', { ...body, accounts: memberships })
    const user = made?.['user'] as { id: string } | undefined
    const edit = draw(bodyOf(userDefinition, 'email', 'accounts', 'role'))
    if (user) await call('PATCH', `/users/${user.id}`, edit)
    for (const { id } of user ? memberships : []) {
      const place = `/accounts/${encodeURIComponent(id)}/members?user=${user?.id}`
      await call('PATCH', place, draw(bodyOf(memberDefinition, 'email', 'role')))
    }
    // A user whom only an owner has invited is not in a document.
    const [account] = accounts
    if (account === undefined || !draw(fc.boolean())) return
    const invited = { email: `invited-${fixture.nowMs()}@example.com`, role: 'member' }
    await call('POST', `/accounts/${encodeURIComponent(account)}/members`, invited)
  }

  async function makeKey(id: string): Promise<void> {
    const body = draw(bodyOf(keyDefinition, 'accountId', 'ownerId', 'groups', 'models'))
    const accountId = draw(fc.constantFrom(...accounts))
    const said = {
      ...body,
      accountId,
      ownerId: draw(fc.constantFrom(null, ...(await membersOf(accountId)))),
      groups: draw(some(groups).filter(({ length }) => length > 0)),
      models: draw(fc.option(some([...models, 'not-there-yet']))),
    }
    await put('/keys', id, said)
    if (draw(fc.boolean())) return
    await fixture.admin(token, 'DELETE', `/keys/${encodeURIComponent(id)}`)
  }

  async function makeAlert(): Promise<void> {
    const accountId = draw(fc.option(fc.constantFrom(...accounts)))
    const known = accountId === null ? [] : await listMembers(fixture.engine.db, accountId)
    const people = known.filter(({ isProven, isSuspended }) => isProven && !isSuspended)
    const recipients = accountId === null ? ['ops@example.com'] : people.map(({ email }) => email)
    const channel = draw(fc.constantFrom('email', 'webhook', 'slack'))
    const kinds = accountId === null ? alertKinds : accountAlertKinds
    const rest = ['accountId', 'channel', 'emails', 'url', 'secret', 'kinds']
    await call('POST', '/alerts', {
      ...draw(bodyOf(alertDefinition, ...rest)),
      accountId,
      channel,
      kinds: draw(fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1 })),
      ...(channel === 'email' && { emails: recipients }),
      ...(channel !== 'email' && { url: hook.url }),
      ...(channel === 'webhook' && { secret: hook.secret }),
    })
    // A recipient who is suspended or has left stays in the settings of the alert, but gets no more messages.
    for (const { userId } of channel === 'email' ? people : []) {
      const place = `/accounts/${encodeURIComponent(accountId ?? '')}/members?user=${userId}`
      const fate = draw(fc.constantFrom('stays', 'suspended', 'left'))
      if (fate === 'suspended') await call('PATCH', `/users/${userId}`, { isSuspended: true })
      if (fate === 'left') await fixture.admin(token, 'DELETE', place)
    }
  }

  /** The users who can own a key: also invited logins, whose keys are not in a document. */
  async function membersOf(accountId: string): Promise<string[]> {
    const members = await listMembers(fixture.engine.db, accountId)
    return members.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId)
  }
}
