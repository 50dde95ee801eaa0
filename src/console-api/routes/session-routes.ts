import { acceptWaiting, declineWaiting, openInvitation } from '../answers/session/invitations.ts'
import { beginOpenId, finishOpenId } from '../answers/session/open-id.ts'
import { endOtherSessions, endSession, readSessions } from '../answers/session/own-sessions.ts'
import { beginTotp, endTotp, finishTotp } from '../answers/session/own-totp.ts'
import { setPreferences } from '../answers/session/preferences.ts'
import { readSession } from '../answers/session/read-session.ts'
import { reauthenticate } from '../answers/session/reauthenticate.ts'
import { setPassword } from '../answers/session/set-password.ts'
import { signIn } from '../answers/session/sign-in.ts'
import { signInByLink } from '../answers/session/sign-in-by-link.ts'
import { signOut } from '../answers/session/sign-out.ts'
import type { Route } from '../route.ts'

const anyone = { who: 'anonymous', owns: 'self' } as const
const self = { who: 'member', owns: 'self' } as const

/** Signing in and out, and what belongs to the person who does. */
export const sessionRoutes: readonly Route[] = [
  { method: 'GET', path: '/session', ...anyone, answer: readSession },
  { method: 'POST', path: '/sign-in', ...anyone, answer: signIn },
  { method: 'POST', path: '/sign-in-link', ...anyone, answer: signInByLink },
  { method: 'POST', path: '/invitation', ...anyone, answer: openInvitation },
  { method: 'GET', path: '/open-id/start', ...anyone, answer: beginOpenId },
  { method: 'GET', path: '/open-id/callback', ...anyone, answer: finishOpenId },
  { method: 'POST', path: '/sign-out', ...self, answer: signOut },
  { method: 'POST', path: '/reauthenticate', ...self, answer: reauthenticate },
  { method: 'POST', path: '/password', ...self, answer: setPassword },
  { method: 'PATCH', path: '/me', ...self, answer: setPreferences },
  { method: 'POST', path: '/invitations/accept', ...self, answer: acceptWaiting },
  { method: 'POST', path: '/invitations/decline', ...self, answer: declineWaiting },
  { method: 'GET', path: '/sessions', ...self, answer: readSessions },
  { method: 'DELETE', path: '/sessions/{id}', ...self, answer: endSession },
  { method: 'POST', path: '/sessions/close-others', ...self, answer: endOtherSessions },
  { method: 'POST', path: '/totp/start', ...self, isFresh: true, answer: beginTotp },
  { method: 'POST', path: '/totp/confirm', ...self, answer: finishTotp },
  { method: 'POST', path: '/totp/remove', ...self, answer: endTotp },
]
