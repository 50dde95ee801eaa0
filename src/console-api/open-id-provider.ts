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

/** An identity provider that people may sign in with. */
export interface OpenIdProvider {
  readonly label: string
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly trip: OpenIdTrip }>
  /** Throws when what came back is not right. The url is the one the visitor has come back to. */
  finish(callbackUrl: URL, trip: OpenIdTrip): Promise<OpenIdPerson>
}
