import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { OpenIdRules } from '../../../src/accounts/definition/open-id.ts'
import { openIdFrom } from '../../../src/app/open-id/open-id.ts'
import type { OpenIdProvider } from '../../../src/console-api/ports/open-id-provider.ts'

export const clientId = 'tollgate'
export const clientSecret = 'a secret between the two'

/** The person that the provider reports, and errors in the report. */
export interface ProviderUser {
  sub: string
  email?: string
  email_verified?: boolean
  /** Any other claim, such as the groups. */
  more?: Readonly<Record<string, unknown>>
  /** The answer of the userinfo endpoint; absent: only the subject; null: status 500. */
  info?: Readonly<Record<string, unknown>> | null
  nonce?: string
  aud?: string
  iss?: string
  exp?: number
  /** How the token is signed, if not correctly. */
  forged?: Forgery
}

export type Forgery = 'another key' | 'none' | 'unsigned' | 'HS256' | 'changed' | 'another kid'

export interface ProviderSettings {
  readonly rules?: Partial<OpenIdRules>
  readonly groupsClaim?: string
  readonly scopes?: readonly string[]
  readonly reauthentication?: 'required' | 'off'
}

/** No user is created, and no membership follows groups. */
export const noRules: OpenIdRules = { create: 'off', domains: [], groups: [] }

const absent = async () => {
  throw new Error('nobody is led to the provider')
}

/** A provider with these rules, which nobody signs in with. */
export function unusedProvider(rules: OpenIdRules): OpenIdProvider {
  return { label: 'Our login', rules, begin: absent, finish: absent }
}

export interface FakeOpenIdProvider {
  readonly issuer: string
  /** The settings of a gateway that trusts this provider. */
  settings(label: string, more?: ProviderSettings): OpenIdProvider
  /** Acts at the provider's own pages, which redirect back with a code. */
  signIn(location: string, told: ProviderUser): URLSearchParams
  /** The user who is signed in at the provider; `/authorize` then redirects at once. */
  setUser(told: ProviderUser): void
  stop(): Promise<void>
}

/** Generated once: such a key pair takes longer than the rest of a test. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A provider on a real socket, with discovery and a token endpoint. */
export function startOpenIdProvider({
  hasUserInfo = false,
}: {
  readonly hasUserInfo?: boolean
} = {}): FakeOpenIdProvider {
  const infos = new Map<string, ProviderUser['info']>()
  let atBrowser: ProviderUser | undefined
  const codes = new Map<string, { told: ProviderUser; nonce: string; challenge: string }>()
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signToken = (claims: object, forged: Forgery | undefined): string => {
    const head = (alg: string, kid = 'k') => `${part({ alg, kid })}.${part(claims)}`
    const signed = (text: string, key: KeyObject) =>
      `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    switch (forged) {
      case undefined:
        return signed(head('RS256'), privateKey)
      case 'another key':
        return signed(head('RS256'), stranger.privateKey)
      case 'another kid':
        return signed(head('RS256', 'unknown'), stranger.privateKey)
      case 'none':
        return `${head('none')}.`
      case 'unsigned':
        return `${head('RS256')}.`
      case 'changed': {
        const [header, , signature] = signed(head('RS256'), privateKey).split('.')
        return `${header}.${part({ ...claims, sub: 'p-9' })}.${signature}`
      }
      case 'HS256': {
        const secret = publicKey.export({ format: 'pem', type: 'spki' })
        const text = head('HS256')
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
      }
    }
  }
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/.well-known/openid-configuration': () =>
        Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          ...(hasUserInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          // The provider would accept everything, so every refusal comes from the gateway.
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        }),
      '/keys': () =>
        Response.json({
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }],
        }),
      '/userinfo': (request) => {
        const token = (request.headers.get('authorization') ?? '').replace(/^bearer /i, '')
        const info = infos.get(token)
        return info ? Response.json(info) : new Response('no', { status: 500 })
      },
      '/authorize': (request) => {
        if (!atBrowser) return new Response('Nobody is signed in here.', { status: 403 })
        const back = new URL(request.url).searchParams.get('redirect_uri') ?? ''
        return Response.redirect(`${back}?${signIn(request.url, atBrowser).toString()}`)
      },
      '/token': async (request) => {
        const form = new URLSearchParams(await request.text())
        const known = codes.get(form.get('code') ?? '')
        codes.delete(form.get('code') ?? '')
        const digest = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '')
        const isRight =
          form.get('client_secret') === clientSecret &&
          known?.challenge === digest.digest('base64url')
        if (!isRight || !known) return Response.json({ error: 'invalid_grant' }, { status: 400 })
        const now = Math.floor(Date.now() / 1000)
        const { forged, more, info, ...told } = known.told
        const access_token = crypto.randomUUID()
        infos.set(access_token, info === undefined ? { sub: told.sub } : info)
        const claims = {
          iss: issuer,
          aud: clientId,
          iat: now,
          exp: now + 60,
          nonce: known.nonce,
          ...told,
          ...more,
        }
        const id_token = signToken(claims, forged)
        return Response.json({ access_token, token_type: 'bearer', id_token })
      },
    },
  })
  const issuer: string = `http://127.0.0.1:${server.port}`
  const signIn = (location: string, told: ProviderUser): URLSearchParams => {
    const asked = new URL(location).searchParams
    const code = crypto.randomUUID()
    const nonce = asked.get('nonce') ?? ''
    codes.set(code, { told, nonce, challenge: asked.get('code_challenge') ?? '' })
    return new URLSearchParams({ code, state: asked.get('state') ?? '' })
  }
  return {
    issuer,
    settings: (label, more = {}) => {
      const { rules, groupsClaim = 'groups', scopes = [], reauthentication = 'required' } = more
      const known = { ...noRules, ...rules }
      const settings = openIdFrom(() => ({
        issuer,
        clientId,
        clientSecret,
        clientAuth: 'auto',
        label,
        rules: known,
        groupsClaim,
        reauthentication,
        scopes,
      }))
      if (!settings) throw new Error('the provider has no settings')
      return settings
    },
    signIn,
    setUser: (told) => {
      atBrowser = told
    },
    stop: () => server.stop(true),
  }
}
