import type { OpenIdRules } from '../../accounts/definition/open-id.ts'

/** Values that must match when the visitor returns from the provider. A cookie holds them meanwhile. */
export interface PendingOpenIdSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The person must sign in at the provider after this moment. Undefined: may have done so earlier. */
  readonly freshFromMs?: number | undefined
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
  /** When the person signed in at the provider; 0 if the provider does not say. */
  readonly authenticatedAtMs: number
  readonly groups: GroupsClaim
}

/**
 * The response does not belong to this browser, the provider returned an error, its token is invalid, or it did not ask
 * the person to sign in again.
 */
export type OpenIdRefusalReason =
  | 'open-id-state'
  | 'open-id-provider'
  | 'open-id-token'
  | 'open-id-stale'

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
  /** `freshFromMs`: the provider is to ask the person to sign in again, from this moment on. */
  begin(
    redirectUrl: string,
    freshFromMs?: number,
  ): Promise<{ readonly url: string; readonly pending: PendingOpenIdSignIn }>
  /** Throws `OpenIdRefused` if the response is not valid. `callbackUrl` is the URL that the visitor returned to. */
  finish(callbackUrl: URL, pending: PendingOpenIdSignIn, nowMs: number): Promise<OpenIdPerson>
}
