import type { OpenIdRules } from '../../src/accounts/definition/open-id.ts'
import type { SessionAnswer } from '../../src/console-api/contract.ts'
import type { OpenIdProvider } from '../../src/console-api/open-id-provider.ts'
import { addressHeader, type ConsoleStage, openConsoleStage, readJson } from './console-stage.ts'
import {
  type OpenIdStage,
  type ProviderSettings,
  startOpenIdProvider,
  type Told,
} from './open-id-provider.ts'

export const groups: OpenIdRules['groups'] = [
  { group: 'ai', account: 'acme', role: 'member' },
  { group: 'ai-leads', account: 'acme', role: 'owner' },
  { group: 'research', account: 'globex', role: 'viewer' },
  { group: 'ghosts', account: 'not-there', role: 'owner' },
]
export const domains = ['example.com', 'xn--bcher-kva.example']

let people = 0
/** A person whom nobody here knows. */
export function person(more: Told['more'] = {}, domain = 'example.com') {
  people += 1
  const email = `p${people}@${domain}`
  return { sub: `sub-${people}`, email, email_verified: true, more }
}

export const inGroups = (...names: readonly string[]) => ({ groups: names })

export interface Arrived {
  /** Undefined when the sign-in was refused. */
  readonly cookie: string | undefined
  /** The `problem` of the sign-in page. */
  readonly problem: string | undefined
}

export interface OpenIdConsole extends ConsoleStage {
  readonly provider: OpenIdStage
  /** Changes the settings, as a restart with another file would. */
  configure(settings: ProviderSettings): void
  arrive(told: Told): Promise<Arrived>
  session(cookie: string | undefined): Promise<SessionAnswer>
  /** `role source` by account, of the user with this email. */
  membershipsOf(email: string): Promise<Readonly<Record<string, string>>>
}

/** The console with an identity provider on a real socket. */
export async function openOpenIdConsole(databaseUrl?: string): Promise<OpenIdConsole> {
  const provider = startOpenIdProvider({ hasUserInfo: true })
  let current = provider.settings('Our login')
  const openId: OpenIdProvider = {
    label: 'Our login',
    get rules() {
      return current.rules
    },
    begin: (url) => current.begin(url),
    finish: (url, trip) => current.finish(url, trip),
  }
  const stage = await openConsoleStage({
    openId,
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  let visitors = 0
  const arrive = async (told: Told): Promise<Arrived> => {
    visitors += 1
    const headers = { [addressHeader]: `10.0.${visitors >> 8}.${visitors & 255}` }
    const left = await stage.get('/console/api/open-id/start', { headers })
    const trip = (left.headers.get('set-cookie') ?? '').split(';')[0]
    const query = provider.signIn(left.headers.get('location') ?? '', told)
    const path = `/console/api/open-id/callback?${query.toString()}`
    const back = await stage.get(path, { cookie: trip, headers })
    const location = back.headers.get('location')
    return {
      cookie: back.headers
        .getSetCookie()
        .find((each) => each.startsWith('tollgate_session='))
        ?.split(';')[0],
      problem: new URL(location ?? '/', stage.url).searchParams.get('problem') ?? undefined,
    }
  }
  return {
    ...stage,
    provider,
    configure: (settings) => {
      current = provider.settings('Our login', settings)
    },
    arrive,
    session: (cookie) => readJson<SessionAnswer>(stage.get('/console/api/session', { cookie })),
    membershipsOf: async (email) => {
      const rows = await stage.engine.db
        .selectFrom('membership as m')
        .innerJoin('console_user as u', 'u.id', 'm.user_id')
        .select(['m.account_id', 'm.role', 'm.source'])
        .where('u.email', '=', email)
        .orderBy('m.account_id')
        .execute()
      return Object.fromEntries(rows.map((row) => [row.account_id, `${row.role} ${row.source}`]))
    },
    close: async () => {
      await stage.close()
      await provider.stop()
    },
  }
}
