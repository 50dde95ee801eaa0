import type { sessionOperations } from '../contract/operations/session-operations.ts'
import { readSession, signOut } from '../handlers/session/current-session.ts'
import { acceptWaiting, declineWaiting, openInvitation } from '../handlers/session/invitations.ts'
import { beginOpenId, finishOpenId } from '../handlers/session/open-id.ts'
import {
  beginPasskey,
  editPasskey,
  endPasskey,
  finishPasskey,
  readPasskeys,
} from '../handlers/session/own-passkeys.ts'
import { endOtherSessions, endSession, readSessions } from '../handlers/session/own-sessions.ts'
import { beginTotp, endTotp, finishTotp } from '../handlers/session/own-totp.ts'
import {
  beginPasskeyProof,
  reauthenticateByPasskey,
} from '../handlers/session/passkey-reauthenticate.ts'
import { beginPasskeySignIn, signInByPasskey } from '../handlers/session/passkey-sign-in.ts'
import { redeemReset, requestReset } from '../handlers/session/password-reset.ts'
import { setPreferences } from '../handlers/session/preferences.ts'
import { reauthenticate } from '../handlers/session/reauthenticate.ts'
import { setPassword } from '../handlers/session/set-password.ts'
import { signIn } from '../handlers/session/sign-in.ts'
import { signInByLink } from '../handlers/session/sign-in-by-link.ts'
import type { Handlers } from './route.ts'

export const sessionHandlers: Handlers<typeof sessionOperations> = {
  'GET /session': readSession,
  'POST /sign-in': signIn,
  'POST /sign-in/passkey/start': beginPasskeySignIn,
  'POST /sign-in/passkey': signInByPasskey,
  'POST /sign-in-link': signInByLink,
  'POST /invitation': openInvitation,
  'POST /password-reset/request': requestReset,
  'POST /password-reset': redeemReset,
  'GET /open-id/start': beginOpenId,
  'GET /open-id/callback': finishOpenId,
  'POST /sign-out': signOut,
  'POST /reauthenticate': reauthenticate,
  'POST /reauthenticate/passkey/start': beginPasskeyProof,
  'POST /reauthenticate/passkey': reauthenticateByPasskey,
  'POST /password': setPassword,
  'PATCH /me': setPreferences,
  'POST /invitations/accept': acceptWaiting,
  'POST /invitations/decline': declineWaiting,
  'GET /sessions': readSessions,
  'DELETE /sessions/{id}': endSession,
  'POST /sessions/close-others': endOtherSessions,
  'GET /passkeys': readPasskeys,
  'POST /passkeys/start': beginPasskey,
  'POST /passkeys': finishPasskey,
  'PATCH /passkeys/{id}': editPasskey,
  'DELETE /passkeys/{id}': endPasskey,
  'POST /totp/start': beginTotp,
  'POST /totp/confirm': finishTotp,
  'POST /totp/remove': endTotp,
}
