/** What must come back from the provider with the visitor, kept in a cookie of their browser meanwhile. */
export interface OpenIdTrip {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface OpenIdPerson {
  /** Issuer and subject: what names a person there for ever. */
  readonly openId: string
  /** Only an address that the provider has verified. */
  readonly email: string | undefined
}

/** The visitor did not come back from their own trip, the provider failed or said no, or its token is not right. */
export type OpenIdRefusalReason = 'open-id-state' | 'open-id-provider' | 'open-id-token'

export class OpenIdRefused extends Error {
  override readonly name = 'OpenIdRefused'
  readonly reason: OpenIdRefusalReason

  constructor(reason: OpenIdRefusalReason, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.reason = reason
  }
}

/** An identity provider that people may sign in with. */
export interface OpenIdProvider {
  readonly label: string
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly trip: OpenIdTrip }>
  /** Throws `OpenIdRefused` when what came back is not right. The url is the one the visitor has come back to. */
  finish(callbackUrl: URL, trip: OpenIdTrip): Promise<OpenIdPerson>
}
