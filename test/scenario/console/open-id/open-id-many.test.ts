import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenIdRules } from '../../../../src/accounts/definition/open-id.ts'
import { writeTurns } from '../../../../src/store/changes/in-turn.ts'
import { addressHeader } from '../../../support/console/console-fixture.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  type Certified,
  type CertifiedProvider,
  startCertifiedProvider,
} from './certified-provider.ts'
import { groups, openSignOnConsole, type SignOnConsole } from './open-id-console.ts'

/* A team of fifty comes back from a real identity provider at the same moment, from the one address of its office. */

const team = 50
const office = '203.0.113.7'
const timeoutMs = patience(60_000)
const usualWaitMs = writeTurns.waitMs
const rules: OpenIdRules = { create: 'groups', domains: [], groups }

describe('fifty people at once on SQLite', () => manyTests())
if (postgresServerUrl('fifty people at once on Postgres') !== undefined) {
  describe('fifty people at once on Postgres', () => manyTests(freshDatabase))
}

const someone = (at: number, names: readonly string[]): Certified => ({
  sub: `many-${at}`,
  email: `many${at}@example.com`,
  email_verified: true,
  groups: names,
})

function manyTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let fixture: SignOnConsole
  let provider: CertifiedProvider
  let database: FreshDatabase | undefined

  beforeAll(async () => {
    // All must get in, also on a busy machine.
    writeTurns.waitMs = timeoutMs
    database = await makeDatabase?.()
    fixture = await openSignOnConsole(database?.url)
    provider = await startCertifiedProvider(`${fixture.url}/console/api/open-id/callback`)
    fixture.use(provider.settings('ES256', { rules }))
  }, timeoutMs)
  afterAll(async () => {
    writeTurns.waitMs = usualWaitMs
    await fixture.close()
    await provider.stop()
    await database?.drop()
  }, timeoutMs)

  const headers = { [addressHeader]: office }
  /** Everybody signs in at the provider, one after the other; then all browsers come back together. */
  const arriveTogether = async (people: readonly Certified[]) => {
    const trips: { readonly path: string; readonly cookie: string | undefined }[] = []
    for (const person of people) {
      const left = await fixture.get('/console/api/open-id/start', { headers })
      const cookie = (left.headers.get('set-cookie') ?? '').split(';')[0]
      const query = await provider.visit(person)(left.headers.get('location') ?? '')
      trips.push({ path: `/console/api/open-id/callback?${query.toString()}`, cookie })
    }
    return Promise.all(
      trips.map(async ({ path, cookie }) => {
        const { status, headers: answered } = await fixture.get(path, { cookie, headers })
        const problem = answered.get('location')?.split('problem=')[1]
        return problem ?? `${status}`
      }),
    )
  }
  const rolesOf = async (people: readonly Certified[]) => {
    const found: string[] = []
    for (const { email } of people)
      found.push(Object.entries(await fixture.membershipsOf(email)).join())
    return found
  }

  test(
    'everybody gets in, with one user each, and follows the groups of that moment',
    async () => {
      const first = Array.from({ length: team }, (_, at) => someone(at, ['ai']))
      expect(new Set(await arriveTogether(first))).toEqual(new Set(['200']))
      expect(new Set(await rolesOf(first))).toEqual(new Set(['acme,member open-id']))

      const next = first.map((_, at) => {
        if (at % 5 === 0) return someone(at, [])
        if (at % 5 === 1) return someone(at, ['ai', 'ai-leads'])
        return someone(at, at % 5 === 2 ? ['research'] : ['ai'])
      })
      const wanted = next.map(
        (_, at) =>
          ['', 'acme,owner open-id', 'globex,viewer open-id'][at % 5] ?? 'acme,member open-id',
      )
      const told = await arriveTogether(next)
      expect(told).toEqual(next.map((_, at) => (at % 5 === 0 ? 'open-id-group' : '200')))
      expect(await rolesOf(next)).toEqual(wanted)

      const users = await fixture.engine.db
        .selectFrom('console_user')
        .select(['id', 'email'])
        .where('email', 'like', 'many%')
        .execute()
      expect(users).toHaveLength(team)
      const sessions = await fixture.engine.db
        .selectFrom('session')
        .select('user_id')
        .where(
          'user_id',
          'in',
          users.map(({ id }) => id),
        )
        .execute()
      // Whoever has no group any more has no session either.
      const out = new Set(
        users.filter(({ email }) => Number(/\d+/.exec(email)?.[0]) % 5 === 0).map(({ id }) => id),
      )
      expect(sessions.filter((each) => out.has(each.user_id))).toEqual([])
      expect(fixture.errors).toEqual([])
    },
    timeoutMs,
  )

  test(
    'several browsers of one new person create one user',
    async () => {
      const person = someone(900, ['ai'])
      const told = await arriveTogether(Array.from({ length: 20 }, () => person))
      expect(new Set(told)).toEqual(new Set(['200']))
      const users = await fixture.engine.db
        .selectFrom('console_user')
        .select('id')
        .where('email', '=', person.email)
        .execute()
      expect(users).toHaveLength(1)
    },
    timeoutMs,
  )
}
