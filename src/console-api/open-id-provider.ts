import type { OpenIdRules } from '../accounts/definition/open-id.ts'

/** Values that must match when the visitor returns from the provider. A cookie holds them meanwhile. */
export interface OpenIdTrip {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The groups of a person, as the provider reports them. */
export type GroupsClaim =
  | { readonly kind: 'read'; readonly groups: ReadonlySet<string> }
  /** Memberships do not follow groups. */
  | { readonly kind: 'ignored' }
  /** The sign-in is refused: nobody knows which memberships should end. `why` is for the operator. */
  | { readonly kind: 'unreadable'; readonly why: string }

export interface OpenIdPerson {
  /** Issuer and subject: the permanent identity of a person. */
  readonly openId: string
  /** Set only if the provider has verified the email. */
  readonly email: string | undefined
  readonly groups: GroupsClaim
}

/** The response does not belong to this browser, the provider returned an error, or its token is invalid. */
export type OpenIdRefusalReason = 'open-id-state' | 'open-id-provider' | 'open-id-token'

export class OpenIdRefused extends Error {
  override readonly name = 'OpenIdRefused'
  readonly reason: OpenIdRefusalReason

  constructor(reason: OpenIdRefusalReason, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.reason = reason
  }
}

export interface OpenIdProvider {
  readonly label: string
  /** The rules for creating users, and the accounts that groups lead to. */
  readonly rules: OpenIdRules
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly trip: OpenIdTrip }>
  /** Throws `OpenIdRefused` if the response is not valid. `callbackUrl` is the URL that the visitor returned to. */
  finish(callbackUrl: URL, trip: OpenIdTrip): Promise<OpenIdPerson>
}
