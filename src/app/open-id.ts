import type { Configuration } from 'openid-client'
import type { OpenIdConfig } from '../config/open-id-settings.ts'
import {
  type OpenIdProvider,
  type OpenIdRefusalReason,
  OpenIdRefused,
} from '../console-api/open-id-provider.ts'

/** How long the provider's discovery document is cached. */
const describedMs = 60 * 60_000

/** The identity provider of the configuration. The library is loaded when somebody first signs in with it. */
export function openIdFrom(config: OpenIdConfig | undefined): OpenIdProvider | undefined {
  if (!config) return undefined
  let described: { readonly at: number; readonly by: Promise<Configuration> } | undefined
  const describe = (): Promise<Configuration> => {
    const now = performance.now()
    if (!described || now - described.at > describedMs) {
      const by = discover(config)
      described = { at: now, by }
      // A failed discovery is retried by the next sign-in.
      by.catch(() => {
        described = undefined
      })
    }
    return described.by
  }
  return {
    label: config.label,
    begin: async (redirectUrl) => {
      const client = await import('openid-client')
      const verifier = client.randomPKCECodeVerifier()
      const request = { state: client.randomState(), nonce: client.randomNonce(), verifier }
      const url = client.buildAuthorizationUrl(await describe(), {
        redirect_uri: redirectUrl,
        scope: 'openid email',
        state: request.state,
        nonce: request.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, trip: request }
    },
    finish: async (callbackUrl, request) => {
      const client = await import('openid-client')
      if (callbackUrl.searchParams.get('state') !== request.state)
        throw new OpenIdRefused('open-id-state', 'the state does not match the one that was sent')
      const claims = await describe()
        .then((configuration) =>
          client.authorizationCodeGrant(configuration, callbackUrl, {
            expectedState: request.state,
            expectedNonce: request.nonce,
            pkceCodeVerifier: request.verifier,
            idTokenExpected: true,
          }),
        )
        .then((tokens) => tokens.claims())
        .catch((error: unknown) => {
          throw new OpenIdRefused(reasonOf(error), error)
        })
      if (!claims)
        throw new OpenIdRefused('open-id-token', 'the identity provider sent no identity')
      const { email, email_verified: isVerified } = claims
      return {
        openId: `${claims.iss} ${claims.sub}`,
        email: isVerified === true && typeof email === 'string' ? email : undefined,
      }
    },
  }
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

async function discover(config: OpenIdConfig): Promise<Configuration> {
  const client = await import('openid-client')
  const { issuer, clientId, clientSecret } = config
  const isPlain = new URL(issuer).protocol === 'http:'
  const authentication =
    clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret)
  // For a token received directly over TLS, the library checks the signature only if asked to.
  const execute = [client.enableNonRepudiationChecks]
  // The configuration takes plain http only for a provider on this machine.
  if (isPlain) execute.push(client.allowInsecureRequests)
  return client.discovery(new URL(issuer), clientId, undefined, authentication, { execute })
}
