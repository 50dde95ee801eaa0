import type { Configuration, IDToken } from 'openid-client'
import type { OpenIdConfig } from '../../config/open-id-settings.ts'
import {
  type GroupsClaim,
  type OpenIdProvider,
  type OpenIdRefusalReason,
  OpenIdRefused,
} from '../../console-api/ports/open-id-provider.ts'
import type { JsonObject } from '../../wire/json.ts'
import { discoverProvider } from './discover-provider.ts'
import { ageParameters, readAuthTime } from './read-auth-time.ts'
import { readGroupsClaim, unreadable } from './read-groups-claim.ts'
import { readVerifiedEmail } from './read-verified-email.ts'

/**
 * The standard's limit. A database takes neither a character 0 nor a key of any length, and stores all halves of a
 * surrogate pair as the same character.
 */
const control = String.raw`\u0000-\u001f`
const subjectShape = new RegExp(`^[^${control}]{1,255}$`)

/**
 * The identity provider of the configuration. The library is loaded when somebody first signs in with it. The secret
 * may change while the gateway runs, so it is read at each sign-in.
 */
export function openIdFrom(
  read: () => OpenIdConfig | undefined,
  timeoutSeconds?: number,
): OpenIdProvider | undefined {
  const config = read()
  if (!config) return undefined
  const reach = discoverProvider(() => read() ?? config, timeoutSeconds)
  return {
    label: config.label,
    rules: config.rules,
    begin: async (redirectUrl, freshFromMs) => {
      const client = await import('openid-client')
      const verifier = client.randomPKCECodeVerifier()
      const request = { state: client.randomState(), nonce: client.randomNonce(), verifier }
      const url = client.buildAuthorizationUrl(await reach(), {
        redirect_uri: redirectUrl,
        scope: [...new Set(['openid', 'email', ...config.scopes])].join(' '),
        state: request.state,
        nonce: request.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(config.reauthentication === 'required' && ageParameters(freshFromMs !== undefined)),
      })
      return { url: url.href, pending: { ...request, freshFromMs } }
    },
    finish: async (callbackUrl, request, nowMs) => {
      const client = await import('openid-client')
      if (callbackUrl.searchParams.get('state') !== request.state)
        throw new OpenIdRefused('open-id-state', 'the state does not match the one that was sent')
      const answer = await reach()
        .then(async (configuration) => {
          const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
            expectedState: request.state,
            expectedNonce: request.nonce,
            pkceCodeVerifier: request.verifier,
            idTokenExpected: true,
          })
          return { configuration, token: tokens.access_token, claims: tokens.claims() }
        })
        .catch((error: unknown) => {
          throw new OpenIdRefused(reasonOf(error), error)
        })
      const { claims } = answer
      if (!claims)
        throw new OpenIdRefused('open-id-token', 'the identity provider sent no identity')
      if (!subjectShape.test(claims.sub) || !claims.sub.isWellFormed())
        throw new OpenIdRefused('open-id-token', 'the subject is not a text of 1 to 255 characters')
      const authenticatedAtMs =
        config.reauthentication === 'off'
          ? nowMs
          : readAuthTime(claims['auth_time'], request.freshFromMs, nowMs)
      const askUserInfo = userInfoOf({ ...answer, claims })
      return {
        openId: `${claims.iss} ${claims.sub}`,
        email: await emailOf(claims, askUserInfo),
        authenticatedAtMs,
        groups: await groupsOf(config, claims, askUserInfo),
      }
    },
  }
}

type UserInfo = () => Promise<JsonObject | undefined>

/** Asks the userinfo endpoint, at most once; undefined if the provider has none. */
function userInfoOf({
  configuration,
  token,
  claims,
}: {
  readonly configuration: Configuration
  readonly token: string
  readonly claims: IDToken
}): UserInfo {
  let asked: Promise<JsonObject> | undefined
  return async () => {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return undefined
    const client = await import('openid-client')
    asked ??= client.fetchUserInfo(configuration, token, claims.sub)
    return asked
  }
}

/** Some providers say only at the userinfo endpoint that an email is verified. A known user needs no email. */
async function emailOf(claims: IDToken, askUserInfo: UserInfo): Promise<string | undefined> {
  const verified = readVerifiedEmail(claims)
  if (verified) return verified.email
  const info = await askUserInfo().catch(() => undefined)
  return info && readVerifiedEmail(info)?.email
}

async function groupsOf(
  { rules, groupsClaim }: OpenIdConfig,
  claims: IDToken,
  askUserInfo: UserInfo,
): Promise<GroupsClaim> {
  if (rules.groups.length === 0) return { kind: 'ignored' }
  const reading = readGroupsClaim(claims, groupsClaim)
  if (reading) return reading
  const info = await askUserInfo().catch((error: unknown) => {
    throw new OpenIdRefused(reasonOf(error), error)
  })
  return (
    readGroupsClaim(info ?? {}, groupsClaim) ??
    unreadable(`the provider sends no claim ${groupsClaim}`)
  )
}

/** Library error codes for an invalid token or signature. All others are failures of the provider. */
const tokenProblems = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_PARSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
])

function reasonOf(error: unknown): OpenIdRefusalReason {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return tokenProblems.has(code) ? 'open-id-token' : 'open-id-provider'
}
