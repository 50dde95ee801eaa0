import { describe, expect, test } from 'bun:test'
import { areaKeys, areaOf, operationsOf } from '../../../src/console-api/admin/route-areas.ts'
import { routes } from '../../../src/console-api/routes/routes.ts'
import { type AdminScope, adminScopes, mayCall } from '../../../src/core/access/admin-scope.ts'

const named = routes.map((route) => ({ name: `${route.method} ${route.path}`, route }))

function mayDo(name: string, scopes: readonly AdminScope[], accountId?: string, body = {}) {
  const route = named.find((each) => each.name === name)?.route
  if (!route) throw new Error(`there is no ${name}`)
  const token = { scopes, accountId }
  return operationsOf(route, body).every((operation) => mayCall(token, operation) === undefined)
}

describe('areas of routes', () => {
  test.each(named)('$name has one', ({ route }) => {
    expect(areaOf(route)).toBeDefined()
  })

  test('no entry is for a missing route', () => {
    const names = new Set(named.map(({ name }) => name))
    expect(areaKeys.filter((key) => !names.has(key))).toEqual([])
  })

  test('no token may call a route without an area', () => {
    const unknown = { method: 'GET', path: '/new', who: 'member' } as const
    const [operation] = operationsOf(unknown)
    expect(operation && mayCall({ scopes: ['all'], accountId: undefined }, operation)?.reason).toBe(
      'personal',
    )
  })

  test.each(named.filter(({ route }) => route.who === 'anonymous' || route.owns === 'self'))(
    'no token may call $name',
    ({ name }) => {
      expect(mayDo(name, adminScopes)).toBe(false)
    },
  )

  /** Operations of operators and members that the admin API lacks on purpose, with the reason. */
  const notInTheApi: Readonly<Record<string, string>> = {
    'GET /playground/options': 'a program calls models with a key',
    'GET /playground/{id}/{rest}': 'a program calls models with a key',
    'POST /playground/{id}/{rest}': 'a program calls models with a key',
    'POST /operate/mail/test': 'the email goes to the person who is signed in',
    'GET /setup': 'a page for the first administrator',
    'POST /setup/close': 'a page for the first administrator',
    'POST /setup/model': 'PUT /models/{id} and PUT /routes do the same',
  }
  test('the admin API has every operation of the console that is not about the signed-in person', () => {
    const lacking = named.filter(
      ({ route }) =>
        route.who !== 'anonymous' && route.owns !== 'self' && areaOf(route)?.area === 'personal',
    )
    expect(lacking.map(({ name }) => name).toSorted()).toEqual(Object.keys(notInTheApi).toSorted())
  })

  test('`read` allows only reads', () => {
    const may = named.filter(({ name }) => mayDo(name, ['read'])).map(({ name }) => name)
    expect(may.filter((name) => !name.startsWith('GET '))).toEqual([
      'POST /operate/explain',
      'POST /operate/check-ledger',
    ])
    expect(may).not.toContain('GET /operate/upstreams/{id}/models')
  })

  test.each(named.filter(({ route }) => route.who === 'admin'))(
    'a token for one account is refused $name',
    ({ name }) => {
      expect(mayDo(name, ['all'], 'acme')).toBe(false)
    },
  )

  /** Routes that would give a token more rights than it has. */
  const takesAll = [
    'POST /operate/users',
    'PATCH /operate/users/{id}',
    'DELETE /operate/users/{id}',
    'POST /operate/users/{id}/sign-in-link',
    'POST /operate/users/{id}/vouch',
    'POST /operate/users/{id}/totp/remove',
    'POST /operate/users/{id}/passkeys/remove',
    'POST /operate/users/{id}/open-id/remove',
    'POST /accounts/{id}/members',
    'PATCH /accounts/{id}/members',
    'DELETE /accounts/{id}/members',
    'POST /tokens',
    'DELETE /tokens/{id}',
  ]
  test.each(takesAll)('%s needs the scope all', (name) => {
    expect(
      mayDo(
        name,
        adminScopes.filter((scope) => scope !== 'all'),
      ),
    ).toBe(false)
    expect(mayDo(name, ['all'])).toBe(true)
  })

  test('a key is revealed with the scope keys', () => {
    expect(mayDo('POST /keys/{id}/reveal', ['read', 'accounts', 'money', 'usage'])).toBe(false)
    expect(mayDo('POST /keys/{id}/reveal', ['keys'], 'acme')).toBe(true)
  })

  test.each([
    [{}, true],
    [{ creditNano: null }, true],
    [{ creditNano: '0' }, true],
    [{ creditNano: '1' }, false],
    [{ creditNano: '00' }, false],
    [{ creditNano: 0 }, false],
  ])('an account is made with the scope accounts and %j: %p', (body, isEnough) => {
    expect(mayDo('POST /operate/accounts', ['accounts'], undefined, body)).toBe(isEnough)
    expect(mayDo('POST /operate/accounts', ['accounts', 'money'], undefined, body)).toBe(true)
    expect(mayDo('POST /operate/accounts', ['money'], undefined, body)).toBe(false)
  })
})
