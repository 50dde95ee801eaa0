import { z } from 'zod'
import { memberSourceKind } from '../../accounts/definition/member.ts'
import { consoleRoles } from '../../accounts/definition/user.ts'
import { languages } from '../../core/text/language.ts'
import { themes } from '../../core/text/theme.ts'
import { accountRole, waitingInvitation } from './account.ts'
import { list, timeMs } from './shapes.ts'

export const role = z.enum(consoleRoles)
export type Role = z.infer<typeof role>

const language = z.enum(languages)

const theme = z.enum(themes)
export type Theme = z.infer<typeof theme>

/** Why a sign-in with the identity provider has failed: `problem` in the URL of the sign-in page. */
export type SignInProblem =
  | 'open-id-failed'
  | 'open-id-unknown'
  | 'open-id-email'
  | 'open-id-domain'
  | 'open-id-group'
  | 'open-id-claim'
  | 'open-id-stale'
  | 'open-id-taken'

export const signedInUser = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: role,
  /** The account that this user is limited to, because the email is not verified; null if it is verified. */
  invitedTo: z.string().nullable(),
  hasPassword: z.boolean(),
  hasTotp: z.boolean(),
  /** Whether the user can sign in with the identity provider of the settings. */
  hasOpenId: z.boolean(),
  /** `open-id`: the user signs in with the identity provider of the settings only, without a password or passkeys. */
  source: memberSourceKind.wire,
  /** Whether the user has a passkey that works at `passkeyOrigin`. */
  hasPasskey: z.boolean(),
  /** Null: not chosen; the browser decides. */
  language: language.nullable(),
  theme: theme.nullable(),
  /** Until then secrets are shown without POST /reauthenticate. */
  freshUntil: timeMs,
})
export type SignedInUser = z.infer<typeof signedInUser>

export const accountName = z.strictObject({
  id: z.string(),
  name: z.string(),
})
export type AccountName = z.infer<typeof accountName>

export const ownAccount = z.strictObject({
  ...accountName.shape,
  /** The user's role; administrators are owners of every account. */
  role: accountRole,
})
export type OwnAccount = z.infer<typeof ownAccount>

/** GET /session, and the response of every sign-in. */
export const sessionAnswer = z.strictObject({
  /** Null without a sign-in. */
  user: signedInUser.nullable(),
  /** The accounts that the user may see, sorted by name, at most 500. */
  accounts: list(ownAccount),
  /** Pending invitations of the user, at most twenty. */
  invitations: list(waitingInvitation),
  csrf: z.strictObject({
    header: z.string(),
    value: z.string(),
  }),
  /**
   * OpenID Connect: label and URL of the sign-in link, which leaves the console; null if it is not configured. A failed
   * sign-in returns to /console/sign-in?problem= with a `SignInProblem`.
   */
  openId: z
    .strictObject({
      label: z.string(),
      url: z.string(),
    })
    .nullable(),
  /** Passkeys work only on pages with this origin; null if they cannot work at the gateway's URL. */
  passkeyOrigin: z.string().nullable(),
  /** Whether the gateway can send email, so that people can reset their passwords. */
  hasMail: z.boolean(),
  /** True for an administrator until the setup is finished or skipped. */
  isSetupOpen: z.boolean(),
  /** The setup is open, but there is demo data to look at first. */
  isDemoFilled: z.boolean(),
  /** The gateway's URL as this browser reaches it, without a path: `https://gateway.example.com`. */
  gatewayUrl: z.string(),
  /** The brand in `x-<brand>-request-id` and other headers. */
  brand: z.string(),
  version: z.string(),
})
export type SessionAnswer = z.infer<typeof sessionAnswer>

export const openSession = z.strictObject({
  id: z.string(),
  isCurrent: z.boolean(),
  createdAt: timeMs,
  seenAt: timeMs,
  address: z.string().nullable(),
  /** The user agent. */
  agent: z.string().nullable(),
})
export type OpenSession = z.infer<typeof openSession>

/** GET /sessions. DELETE /sessions/{id} → DoneAnswer, POST /sessions/close-others → DoneAnswer. */
export const sessionsAnswer = z.strictObject({
  sessions: list(openSession),
})
export type SessionsAnswer = z.infer<typeof sessionsAnswer>

/**
 * POST /totp/start (needs a recent sign-in): a new secret. It takes effect when POST /totp/confirm has received a code.
 */
export const totpStart = z.strictObject({
  /** Base32, for manual entry. */
  secret: z.string(),
  /** otpauth://…, for a QR code. */
  url: z.string(),
})
export type TotpStart = z.infer<typeof totpStart>

export const totpConfirmed = z.strictObject({
  /** Shown once; each replaces a code once. */
  recoveryCodes: list(z.string()),
})
export type TotpConfirmed = z.infer<typeof totpConfirmed>

export const ownPasskey = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The host name that the passkey works at. */
  host: z.string(),
  createdAt: timeMs,
  /** Null: never used. */
  usedAt: timeMs.nullable(),
})
export type OwnPasskey = z.infer<typeof ownPasskey>

/** GET /passkeys, and the response of every change: the user's passkeys, oldest first. */
export const passkeysAnswer = z.strictObject({
  passkeys: list(ownPasskey),
})
export type PasskeysAnswer = z.infer<typeof passkeysAnswer>

const credential = z.strictObject({
  type: z.literal('public-key'),
  id: z.string(),
  transports: list(z.string()),
})

/** Options for `navigator.credentials.get`. Without credentials, the person chooses a passkey. */
export const passkeyQuestion = z.strictObject({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number(),
  userVerification: z.literal('required'),
  allowCredentials: list(credential),
})
export type PasskeyQuestion = z.infer<typeof passkeyQuestion>

/** Options for `navigator.credentials.create`. */
export const passkeyCreation = z.strictObject({
  challenge: z.string(),
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: list(z.strictObject({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.number(),
  excludeCredentials: list(credential),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})
export type PasskeyCreation = z.infer<typeof passkeyCreation>
