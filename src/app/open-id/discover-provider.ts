import type { ClientAuth, Configuration } from 'openid-client'
import type { OpenIdConfig } from '../../config/open-id-settings.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** How long the provider's discovery document is cached. */
const describedMs = 60 * 60_000
/** The longest wait for one answer of the provider. */
const answerSeconds = 10

/**
 * The configuration with which the library calls the provider. The keys of the provider are read again at every
 * sign-in: a new key is accepted and a withdrawn key refused at once.
 */
export function discoverProvider(
  read: () => OpenIdConfig,
  timeout = answerSeconds,
): () => Promise<Configuration> {
  let described: { readonly at: number; readonly answer: Promise<Response> } | undefined
  const fetchDescription: typeof boundedFetch = async (url, options) => {
    const now = performance.now()
    if (!described || now - described.at > describedMs)
      described = { at: now, answer: boundedFetch(url, options) }
    return (await described.answer).clone() as Response
  }
  return async () => {
    const client = await import('openid-client')
    const config = read()
    const { issuer, clientId } = config
    // For a token received directly over TLS, the library checks the signature only if asked to.
    const execute = [client.enableNonRepudiationChecks]
    // The configuration takes plain http only for a provider on this machine.
    if (new URL(issuer).protocol === 'http:') execute.push(client.allowInsecureRequests)
    const authentication = authenticate(client, config)
    const options = { execute, timeout, [client.customFetch]: fetchDescription }
    const configuration = await client
      .discovery(new URL(issuer), clientId, undefined, authentication, options)
      .catch((error: unknown) => {
        // A failed discovery is retried by the next sign-in.
        described = undefined
        throw error
      })
    configuration[client.customFetch] = boundedFetch
    return configuration
  }
}

/** With `auto`, the secret goes into the body unless the provider names its methods without `client_secret_post`. */
function authenticate(
  client: typeof import('openid-client'),
  { clientSecret, clientAuth }: OpenIdConfig,
): ClientAuth {
  if (clientSecret === undefined) return client.None()
  const inBody = client.ClientSecretPost(clientSecret)
  const inHeader = client.ClientSecretBasic(clientSecret)
  return (server, ...rest) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_post']
    const isInBody =
      clientAuth === 'auto' ? offered.includes('client_secret_post') : clientAuth === 'post'
    return isInBody ? inBody(server, ...rest) : inHeader(server, ...rest)
  }
}
