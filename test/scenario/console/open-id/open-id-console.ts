import type { OpenIdRules } from '../../../../src/accounts/definition/open-id.ts'
import type { SessionAnswer } from '../../../../src/console-api/contract.ts'
import type { OpenIdProvider } from '../../../../src/console-api/ports/open-id-provider.ts'
import {
  addressHeader,
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import {
  type FakeOpenIdProvider,
  type ProviderSettings,
  type ProviderUser,
  startOpenIdProvider,
} from '../../../support/console/open-id-provider.ts'

export const groups: OpenIdRules['groups'] = [
  { group: 'ai', account: 'acme', role: 'member' },
  { group: 'ai-leads', account: 'acme', role: 'owner' },
  { group: 'research', account: 'globex', role: 'viewer' },
  { group: 'ghosts', account: 'not-there', role: 'owner' },
]
export const domains = ['example.com', 'xn--bcher-kva.example']

let people = 0
/** A person without a user here. */
export function person(more: ProviderUser['more'] = {}, domain = 'example.com') {
  people += 1
  const email = `p${people}@${domain}`
  return { sub: `sub-${people}`, email, email_verified: true, more }
}

export const inGroups = (...names: readonly string[]) => ({ groups: names })

/** The reason of the last refused sign-in, from the audit log. */
export async function lastFailure({
  engine,
}: Pick<ConsoleFixture, 'engine'>): Promise<string | undefined> {
  const row = await engine.db
    .selectFrom('audit')
    .select('after')
    .where('action', '=', 'user.sign-in-failed')
    .orderBy('seq', 'desc')
    .executeTakeFirst()
  return (JSON.parse(row?.after ?? '{}') as { failure?: string }).failure
}

export interface Arrived {
  /** Undefined when the sign-in was refused. */
  readonly cookie: string | undefined
  /** The `problem` of the sign-in page. */
  readonly problem: string | undefined
}

/** The console with an identity provider whose settings a test can change, like a restart with another file. */
export interface SignOnConsole extends ConsoleFixture {
  use(provider: OpenIdProvider): void
  /** `visit` acts at the provider's own pages; it returns the query of the callback. */
  arriveBy(
    visit: (location: string) => URLSearchParams | Promise<URLSearchParams>,
    query?: string,
    /** The session that the browser has already. */
    session?: string,
  ): Promise<Arrived>
  session(cookie: string | undefined): Promise<SessionAnswer>
  /** `role source` by account, of the user with this email. */
  membershipsOf(email: string): Promise<Readonly<Record<string, string>>>
}

export async function openSignOnConsole(databaseUrl?: string): Promise<SignOnConsole> {
  let current: OpenIdProvider | undefined
  const used = (): OpenIdProvider => {
    if (!current) throw new Error('no provider is in use')
    return current
  }
  const openId: OpenIdProvider = {
    label: 'Our login',
    get rules() {
      return used().rules
    },
    begin: (url, freshFromMs) => used().begin(url, freshFromMs),
    finish: (url, pending, nowMs) => used().finish(url, pending, nowMs),
  }
  const fixture = await openConsoleFixture({
    openId,
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  let visitors = 0
  return {
    ...fixture,
    use: (provider) => {
      current = provider
    },
    arriveBy: async (visit, asked = '', session) => {
      visitors += 1
      const headers = { [addressHeader]: `10.0.${visitors >> 8}.${visitors & 255}` }
      const start = `/console/api/open-id/start${asked}`
      const left = await fixture.get(start, { cookie: session, headers })
      const cookie = (left.headers.get('set-cookie') ?? '').split(';')[0]
      const problemIn = (response: Response) =>
        new URL(response.headers.get('location') ?? '/', fixture.url).searchParams.get('problem') ??
        undefined
      if (problemIn(left) !== undefined) return { cookie: undefined, problem: problemIn(left) }
      const query = await visit(left.headers.get('location') ?? '')
      const path = `/console/api/open-id/callback?${query.toString()}`
      const back = await fixture.get(path, { cookie, headers })
      return {
        cookie: back.headers
          .getSetCookie()
          .find((each) => each.startsWith('tollgate_session='))
          ?.split(';')[0],
        problem: problemIn(back),
      }
    },
    session: (cookie) => readJson<SessionAnswer>(fixture.get('/console/api/session', { cookie })),
    membershipsOf: async (email) => {
      const rows = await fixture.engine.db
        .selectFrom('membership as m')
        .innerJoin('console_user as u', 'u.id', 'm.user_id')
        .select(['m.account_id', 'm.role', 'm.source'])
        .where('u.email', '=', email)
        .orderBy('m.account_id')
        .execute()
      return Object.fromEntries(rows.map((row) => [row.account_id, `${row.role} ${row.source}`]))
    },
  }
}

export interface OpenIdConsole extends SignOnConsole {
  readonly provider: FakeOpenIdProvider
  configure(settings: ProviderSettings): void
  arrive(told: ProviderUser): Promise<Arrived>
}

/** The console with a scripted identity provider on a real socket, which can also send invalid data. */
export async function openOpenIdConsole(databaseUrl?: string): Promise<OpenIdConsole> {
  const provider = startOpenIdProvider({ hasUserInfo: true })
  const fixture = await openSignOnConsole(databaseUrl)
  const configure = (settings?: ProviderSettings) =>
    fixture.use(provider.settings('Our login', settings))
  configure()
  return {
    ...fixture,
    provider,
    configure,
    arrive: (told) => fixture.arriveBy((location) => provider.signIn(location, told)),
    close: async () => {
      await fixture.close()
      await provider.stop()
    },
  }
}
