import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminRoutes, descriptionPath } from '../../../src/console-api/admin/admin-routes.ts'
import { routes } from '../../../src/console-api/routes/routes.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'

/* A chosen id may be any word, also one that occurs in a path of the API. */

const adminPaths = [...adminRoutes.map(({ path }) => path), descriptionPath]
const consolePaths = routes.map(({ path }) => path)

const isPlace = (segment: string | undefined) => segment?.startsWith('{') === true

/** Whether an id in the first path can equal the fixed word of the second. */
function isShadowed(open: readonly string[], fixed: readonly string[]): boolean {
  const hasPlace = open.some((segment, at) => isPlace(segment) && !isPlace(fixed[at]))
  const fits = open.every(
    (segment, at) => isPlace(segment) || isPlace(fixed[at]) || segment === fixed[at],
  )
  return hasPlace && fits && open.length === fixed.length
}

function shadowsIn(paths: readonly string[]): string[] {
  const split = [...new Set(paths)].map((path) => path.split('/'))
  return split
    .flatMap((open) =>
      split.filter((fixed) => isShadowed(open, fixed)).map((fixed) => [open, fixed]),
    )
    .map(([open = [], fixed = []]) => `${fixed.join('/')} hides ${open.join('/')}`)
    .toSorted()
}

describe('a fixed path replaces an id only where the gateway generates the ids', () => {
  const ofRequests = ['export', 'facets', 'series', 'totals'].map(
    (word) => `/usage/${word} hides /usage/{id}`,
  )
  test('in the admin API: ids of requests are UUIDs', () => {
    expect(shadowsIn(adminPaths)).toEqual(ofRequests)
  })
  test('in the console: ids of sessions and passkeys are generated', () => {
    expect(shadowsIn(consolePaths)).toEqual([
      '/passkeys/start hides /passkeys/{id}',
      '/sessions/close-others hides /sessions/{id}',
      ...ofRequests,
    ])
  })
})

/**
 * Each kind of resource whose id the caller chooses: how it is created and changed, and the member that shows the
 * change.
 */
const kinds: readonly [string, (id: string) => object, object, boolean][] = [
  ['/groups', () => ({ factor: '1.5' }), { factor: '2' }, true],
  ['/models', (id) => ({ displayName: id }), { displayName: 'Newer' }, true],
  ['/upstreams', () => ({ vendor: 'openai' }), { concurrencyMax: 3 }, true],
  ['/accounts', (id) => ({ name: id }), { name: 'Newer' }, false],
  ['/keys', (id) => ({ accountId: 'acme', name: id }), { name: 'Newer' }, true],
  [
    '/alerts',
    (id) => ({ name: id, channel: 'email', emails: ['ops@example.com'], kinds: ['credit_low'] }),
    { name: 'Newer' },
    true,
  ],
]

const words = [
  ...new Set([...adminPaths, ...consolePaths].flatMap((path) => path.split('/'))),
].filter((word) => word !== '' && !isPlace(word))

/**
 * The words that could be mistaken for an id of this collection are those of its own paths and those that stand in the
 * place of an id in another. The collections share the rest, which the tests above exclude for every collection.
 */
function wordsFor(root: string): string[] {
  const paths = adminPaths.map((path) => path.split('/').slice(1))
  const near = paths.flatMap((path) => (`/${path[0]}` === root ? path : path.slice(1, 2)))
  const at = kinds.findIndex(([path]) => path === root)
  return words.filter((word, index) => near.includes(word) || index % kinds.length === at)
}

let fixture: ConsoleFixture
let token: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  token = await fixture.makeToken(['all'])
})
afterAll(() => fixture.close())

async function call(method: string, path: string, body?: object) {
  const response = await fixture.admin(token, method, path, body === undefined ? {} : { body })
  return { status: response.status, body: (await response.json()) as { id?: string } }
}

describe('an id may equal any word of a path', () => {
  test('the list has every collection with chosen ids', () => {
    const put = adminRoutes.filter(
      ({ route, path }) => route.method === 'PUT' && path.endsWith('{id}'),
    )
    const made = put.map(({ path }) => path.replace('/{id}', ''))
    // A user is never created by PUT: the gateway generates the id.
    expect(made.filter((path) => path !== '/users').toSorted()).toEqual(
      kinds.map(([path]) => path).toSorted(),
    )
  })

  test.each(kinds)(
    '%s: it is created, read, changed and deleted',
    async (root, made, change, isDeleted) => {
      for (const word of wordsFor(root)) {
        const path = `${root}/${word}`
        expect([word, (await call('PUT', path, made(word))).status]).toEqual([word, 201])
        const read = await call('GET', path)
        expect([word, read.status, read.body.id]).toEqual([word, 200, word])
        const changed = await call('PATCH', path, change)
        expect([word, changed.status]).toEqual([word, 200])
        expect(JSON.stringify(changed.body)).toContain(JSON.stringify(change).slice(1, -1))
        if (!isDeleted) continue
        expect([word, (await call('DELETE', path)).status]).toEqual([word, 200])
        expect([word, (await call('GET', path)).status]).toEqual([word, 404])
      }
    },
    patience(60_000),
  )
})
