import { setSystemTime } from 'bun:test'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { openIdFrom } from '../../../../src/app/open-id/open-id.ts'
import type { OpenIdConfig } from '../../../../src/config/open-id-settings.ts'
import type { OpenIdProvider } from '../../../../src/console-api/ports/open-id-provider.ts'
import { noRules } from '../../../support/console/open-id-provider.ts'

/** A person at the provider. */
export interface Certified {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly groups?: unknown
  /** Claims besides `sub` are only at the userinfo endpoint. */
  readonly isTokenBare?: boolean
}

/** The cookies of a browser at the provider, by name. */
export type Browser = Map<string, string>

/** Replaces the provider's answer to requests for a path. */
export type ProviderFault = (response: ServerResponse) => void

interface ProviderChange {
  /** Withdraws all keys and signs with new ones. */
  readonly newKeys?: true
  /** All clients use this method, which is the only one that the provider offers. */
  readonly onlyMethod?: string
  /** How far the provider's clock is behind when it issues tokens. */
  readonly behindSeconds?: number
}

export interface CertifiedProvider {
  readonly issuer: string
  /** The path of each request, and how the client sent its secret to the token endpoint. */
  readonly asked: string[]
  readonly faults: Map<string, ProviderFault>
  /** Called before the provider answers a request for the path. */
  readonly before: Map<string, () => void>
  settings(
    client: ClientName,
    more?: Partial<OpenIdConfig>,
    timeoutSeconds?: number,
  ): OpenIdProvider
  /** Acts like a browser at the provider: the person signs in or refuses. Returns the query of the callback. */
  visit(
    person: Certified | 'denies',
    browser?: Browser,
  ): (location: string) => Promise<URLSearchParams>
  /** As if everybody had signed in so much earlier. */
  ageSessions(seconds: number): void
  /** Like a restart with other settings. */
  change(change: ProviderChange): void
  /** Expires all codes. */
  expireCodes(): void
  stop(): Promise<void>
}

const clients = {
  RS256: 'client_secret_post',
  ES256: 'client_secret_basic',
  PS256: 'client_secret_post',
  EdDSA: 'client_secret_basic',
  public: 'none',
} as const
export type ClientName = keyof typeof clients
export const clientNames = Object.keys(clients) as readonly ClientName[]

/** Basic authentication must encode these characters. */
const clientSecret = 'a secret: 100 % & more+more/=~'
const scopes = 'openid email groups'

/** The lifetime of codes, tokens and everything else at the provider. */
export const lifeSeconds = 60
const expiring = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session']

/** Generated once: an RSA key pair takes longer than the rest of a test. */
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
let rounds = 0

function makeKeys() {
  rounds += 1
  const jwk = (key: KeyObject, alg: string) => ({
    ...key.export({ format: 'jwk' }),
    alg,
    kid: `${alg}-${rounds}`,
    use: 'sig',
  })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return [
    jwk(rsa, 'RS256'),
    jwk(rsa, 'PS256'),
    jwk(curve, 'ES256'),
    jwk(generateKeyPairSync('ed25519').privateKey, 'EdDSA'),
  ]
}

type Kept = Record<string, unknown>

/** oidc-provider, a certified implementation, on a real socket. Its pages are replaced: `visit` decides at once. */
export async function startCertifiedProvider(redirectUrl: string): Promise<CertifiedProvider> {
  const people = new Map<string, Certified>()
  const kept = new Map<string, Kept>()
  const asked: string[] = []
  const faults = new Map<string, ProviderFault>()
  const before = new Map<string, () => void>()
  let keys = makeKeys()
  let visitor: Certified | 'denies' = 'denies'
  let provider: Provider | undefined
  let behindMs = 0
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const change = ({ newKeys, onlyMethod, behindSeconds = 0 }: ProviderChange) => {
    behindMs = behindSeconds * 1000
    if (newKeys) keys = makeKeys()
    const list = Object.entries(clients).map(([name, method]) => ({
      client_id: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      id_token_signed_response_alg: name === 'public' ? 'ES256' : name,
      token_endpoint_auth_method: onlyMethod ?? method,
      ...((onlyMethod ?? method) !== 'none' && { client_secret: clientSecret }),
    }))
    provider = makeProvider(issuer, { list, keys, kept, people, onlyMethod })
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', issuer).pathname
    const basic = request.headers.authorization?.startsWith('Basic ') ? ' basic' : ''
    asked.push(`${path}${basic}`)
    before.get(path)?.()
    if (path === '/token' && behindMs > 0) {
      setSystemTime(Date.now() - behindMs)
      response.once('finish', () => setSystemTime())
    }
    const fault = faults.get(path)
    if (fault) return fault(response)
    if (!path.startsWith('/interaction/')) return provider?.callback()(request, response)
    const result =
      visitor === 'denies' ? { error: 'access_denied' } : { login: { accountId: visitor.sub } }
    await provider?.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    })
  }
  change({})
  return {
    issuer,
    asked,
    faults,
    before,
    settings: (client, more, timeoutSeconds) => {
      const settings = openIdFrom(
        () => ({
          issuer,
          clientId: client,
          clientSecret: client === 'public' ? undefined : clientSecret,
          clientAuth: clients[client] === 'client_secret_basic' ? 'basic' : 'auto',
          label: 'Our login',
          rules: noRules,
          groupsClaim: 'groups',
          reauthentication: 'required',
          scopes: ['groups'],
          ...more,
        }),
        timeoutSeconds,
      )
      if (!settings) throw new Error('the provider has no settings')
      return settings
    },
    visit: (person, browser) => (location) => {
      visitor = person
      if (person !== 'denies') people.set(person.sub, person)
      return wander(location, issuer, browser)
    },
    ageSessions: (seconds) => {
      for (const each of kept.values())
        if (each['kind'] === 'Session') each['loginTs'] = Number(each['loginTs']) - seconds
    },
    change,
    expireCodes: () => {
      const past = Math.floor(Date.now() / 1000) - 1
      for (const each of kept.values()) if (each['kind'] === 'AuthorizationCode') each['exp'] = past
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function makeProvider(
  issuer: string,
  made: {
    readonly list: readonly object[]
    readonly keys: readonly object[]
    readonly kept: Map<string, Kept>
    readonly people: ReadonlyMap<string, Certified>
    readonly onlyMethod: string | undefined
  },
): Provider {
  const { kept, people, onlyMethod } = made
  const provider: Provider = new Provider(issuer, {
    adapter: adapterOn(kept),
    clients: made.list,
    jwks: { keys: made.keys },
    cookies: { keys: ['of the tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'PS256', 'EdDSA'] },
    ...(onlyMethod !== undefined && { clientAuthMethods: [onlyMethod] }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    ttl: Object.fromEntries(expiring.map((name) => [name, lifeSeconds])),
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: (use: string) => {
        const { isTokenBare, ...claims } = people.get(sub) ?? {}
        return isTokenBare && use === 'id_token' ? { sub } : { ...claims, sub }
      },
    }),
    loadExistingGrant: async ({ oidc }: { oidc: Visiting }) => {
      const { accountId } = oidc.session
      const grant = new provider.Grant({ accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope(scopes)
      await grant.save()
      return grant
    },
  })
  return provider
}

interface Visiting {
  readonly session: { readonly accountId: string }
  readonly client: { readonly clientId: string }
}

/** The storage of the package, in a map that survives a change of its settings. */
function adapterOn(kept: Map<string, Kept>) {
  return class {
    readonly model: string
    constructor(model: string) {
      this.model = model
    }
    key(id: string) {
      return `${this.model} ${id}`
    }
    async upsert(id: string, payload: Kept) {
      kept.set(this.key(id), payload)
    }
    async find(id: string) {
      return kept.get(this.key(id))
    }
    async findByUid(uid: string) {
      return [...kept.values()].find((each) => each['uid'] === uid)
    }
    async consume(id: string) {
      const row = kept.get(this.key(id))
      if (row) row['consumed'] = Math.floor(Date.now() / 1000)
    }
    async destroy(id: string) {
      kept.delete(this.key(id))
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, each] of kept) if (each['grantId'] === grantId) kept.delete(key)
    }
  }
}

const hopsMax = 8

/** Follows redirects with cookies until one leads to another host. */
async function wander(
  location: string,
  issuer: string,
  cookies: Browser = new Map(),
): Promise<URLSearchParams> {
  let url = new URL(location)
  for (let hop = 0; hop < hopsMax; hop += 1) {
    const cookie = [...cookies.values()].join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const each of response.headers.getSetCookie()) {
      const [pair = ''] = each.split(';')
      cookies.set(pair.split('=')[0] ?? '', pair)
    }
    const next = response.headers.get('location')
    if (next === null)
      throw new Error(`${url.pathname} does not redirect: ${await response.text()}`)
    url = new URL(next, url)
    if (url.origin !== issuer) return url.searchParams
  }
  throw new Error('the provider redirects too often')
}
