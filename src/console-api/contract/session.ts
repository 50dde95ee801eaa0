import type {
  CodeRequest,
  LinkRequest,
  ProofRequest,
  SignInRequest,
} from '../../accounts/definition/sign-in.ts'
import type {
  ConsoleRole,
  Language,
  ownPasswordDefinition,
  preferencesDefinition,
  Theme,
} from '../../accounts/definition/user.ts'
import type { EditWireOf, NewWireOf } from '../../fields/definition.ts'
import type { AccountRole, WaitingInvitation } from './account.ts'
import type { TimeMs } from './basics.ts'

/** POST /sign-in → SessionAnswer. Refused with `code_needed` when the user has an authenticator app and `code` is absent. */
export type { SignInRequest }

/** POST /sign-in-link → SessionAnswer */
export type SignInLinkRequest = LinkRequest

/** POST /reauthenticate → DoneAnswer. Makes this session fresh again; `code` when the user has an authenticator app. */
export type ReauthenticateRequest = ProofRequest

/** POST /password → DoneAnswer. Needs a fresh sign-in when there is a password already. Ends all other sessions. */
export type SetPasswordRequest = NewWireOf<typeof ownPasswordDefinition>

/** POST /sign-out → DoneAnswer, without a body. */

export type Role = ConsoleRole
export type { Language, Theme }

export interface SignedInUser {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** The account that this login is confined to, because its address is not proven; null when it is proven. */
  readonly invitedTo: string | null
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  /** Null: not chosen yet, follow the browser. */
  readonly language: Language | null
  readonly theme: Theme | null
  /** Until then secrets can be shown without POST /reauthenticate. */
  readonly freshUntil: TimeMs
}

export interface AccountName {
  readonly id: string
  readonly name: string
}

export interface OwnAccount extends AccountName {
  /** What this user may do there; administrators are owners everywhere. */
  readonly role: AccountRole
}

/** GET /session, and the answer to every way of signing in. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly user: SignedInUser | null
  /** The accounts whose keys and usage this user may see, in order of name; 500 at most. */
  readonly accounts: readonly OwnAccount[]
  /** What waits for this user to accept; twenty at most. */
  readonly invitations: readonly WaitingInvitation[]
  readonly csrf: { readonly header: string; readonly value: string }
  /**
   * OpenID Connect: a link with this label that leads to `url`, away from the console; null when it is not configured.
   * Who does not get in comes back to /console/sign-in?problem=open-id-failed or open-id-unknown.
   */
  readonly openId: { readonly label: string; readonly url: string } | null
  /** True for an administrator who has not gone through or skipped the set-up. */
  readonly isSetupOpen: boolean
  /** The set-up is open, but there is the demo's month to look at first. */
  readonly isDemoFilled: boolean
  /** The gateway's address as this browser reaches it, without a path: `https://gateway.example.com`. */
  readonly gatewayUrl: string
  /** The word in `x-<brand>-request-id` and the other headers of the gateway. */
  readonly brand: string
  readonly version: string
}

/** PATCH /me → DoneAnswer. */
export type PreferencesRequest = EditWireOf<typeof preferencesDefinition>

export interface OpenSession {
  readonly id: string
  readonly isCurrent: boolean
  readonly createdAt: TimeMs
  readonly seenAt: TimeMs
  readonly address: string | null
  /** The browser's own words about itself. */
  readonly agent: string | null
}

/** GET /sessions. DELETE /sessions/{id} → DoneAnswer, POST /sessions/close-others → DoneAnswer. */
export interface SessionsAnswer {
  readonly sessions: readonly OpenSession[]
}

/** POST /totp/start (fresh sign-in needed): a new secret, in force once POST /totp/confirm has seen a code of it. */
export interface TotpStart {
  /** In base 32, for typing. */
  readonly secret: string
  /** otpauth://…, for a QR code. */
  readonly url: string
}

/** POST /totp/confirm → TotpConfirmed; POST /totp/remove → DoneAnswer (code of the app or a recovery code). */
export type TotpCodeRequest = CodeRequest

export interface TotpConfirmed {
  /** Shown once; each signs in once in place of a code. */
  readonly recoveryCodes: readonly string[]
}
