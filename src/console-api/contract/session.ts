import { z } from 'zod'
import { consoleRoles, languages, themes } from '../../accounts/definition/user.ts'
import { accountRole, waitingInvitation } from './account.ts'
import { list, timeMs } from './shapes.ts'

export const role = z.enum(consoleRoles)
export type Role = z.infer<typeof role>

const language = z.enum(languages)
export type Language = z.infer<typeof language>

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

export const signedInUser = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: role,
  /** The account that this user is limited to, because the email is not verified; null if it is verified. */
  invitedTo: z.string().nullable(),
  hasPassword: z.boolean(),
  hasTotp: z.boolean(),
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
