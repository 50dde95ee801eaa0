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

export const signedInUser = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: role,
  /** The account that this login is confined to, because its address is not proven; null when it is proven. */
  invitedTo: z.string().nullable(),
  hasPassword: z.boolean(),
  hasTotp: z.boolean(),
  /** Null: not chosen yet, follow the browser. */
  language: language.nullable(),
  theme: theme.nullable(),
  /** Until then secrets can be shown without POST /reauthenticate. */
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
  /** What this user may do there; administrators are owners everywhere. */
  role: accountRole,
})
export type OwnAccount = z.infer<typeof ownAccount>

/** GET /session, and the answer to every way of signing in. */
export const sessionAnswer = z.strictObject({
  /** Null when nobody is signed in. */
  user: signedInUser.nullable(),
  /** The accounts whose keys and usage this user may see, in order of name; 500 at most. */
  accounts: list(ownAccount),
  /** What waits for this user to accept; twenty at most. */
  invitations: list(waitingInvitation),
  csrf: z.strictObject({
    header: z.string(),
    value: z.string(),
  }),
  /**
   * OpenID Connect: a link with this label that leads to `url`, away from the console; null when it is not configured.
   * Who does not get in comes back to /console/sign-in?problem=open-id-failed or open-id-unknown.
   */
  openId: z
    .strictObject({
      label: z.string(),
      url: z.string(),
    })
    .nullable(),
  /** True for an administrator who has not gone through or skipped the set-up. */
  isSetupOpen: z.boolean(),
  /** The set-up is open, but there is the demo's month to look at first. */
  isDemoFilled: z.boolean(),
  /** The gateway's address as this browser reaches it, without a path: `https://gateway.example.com`. */
  gatewayUrl: z.string(),
  /** The word in `x-<brand>-request-id` and the other headers of the gateway. */
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
  /** The browser's own words about itself. */
  agent: z.string().nullable(),
})
export type OpenSession = z.infer<typeof openSession>

/** GET /sessions. DELETE /sessions/{id} → DoneAnswer, POST /sessions/close-others → DoneAnswer. */
export const sessionsAnswer = z.strictObject({
  sessions: list(openSession),
})
export type SessionsAnswer = z.infer<typeof sessionsAnswer>

/** POST /totp/start (fresh sign-in needed): a new secret, in force once POST /totp/confirm has seen a code of it. */
export const totpStart = z.strictObject({
  /** In base 32, for typing. */
  secret: z.string(),
  /** otpauth://…, for a QR code. */
  url: z.string(),
})
export type TotpStart = z.infer<typeof totpStart>

export const totpConfirmed = z.strictObject({
  /** Shown once; each signs in once in place of a code. */
  recoveryCodes: list(z.string()),
})
export type TotpConfirmed = z.infer<typeof totpConfirmed>
