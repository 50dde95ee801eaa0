import { z } from 'zod'
import {
  newPasskeyBody,
  passkeyAnswerBody,
  passkeyNameBody,
} from '../../../accounts/definition/passkey.ts'
import {
  appCodeBody,
  codeBody,
  invitationChoiceBody,
  linkBody,
  proofBody,
  resetBody,
  resetRequestBody,
  signInBody,
} from '../../../accounts/definition/sign-in.ts'
import { ownPasswordDefinition, preferencesDefinition } from '../../../accounts/definition/user.ts'
import { editSchema, newSchema } from '../../../fields/definition.ts'
import { flagParameter, query } from '../inputs.ts'
import {
  passkeyCreation,
  passkeyQuestion,
  passkeysAnswer,
  sessionAnswer,
  sessionsAnswer,
  totpConfirmed,
  totpStart,
} from '../session.ts'
import { doneAnswer } from '../shapes.ts'
import { anyone, type OperationTable, self } from './operation.ts'

/** A provider may send any parameters. */
const anything = z.record(z.string(), z.string())

/** A body about a passkey is small, whoever sends it. */
const passkeyBytesMax = 16 * 1024

/** Sign-in, sign-out, and the user's own settings. */
export const sessionOperations = {
  'GET /session': { ...anyone, summary: 'Show who is signed in', answer: sessionAnswer },
  'POST /sign-in': {
    ...anyone,
    summary: 'Sign in with a password',
    body: signInBody,
    answer: sessionAnswer,
  },
  'POST /sign-in/passkey/start': {
    ...anyone,
    summary: 'Create a challenge for a sign-in with a passkey',
    answer: passkeyQuestion,
  },
  'POST /sign-in/passkey': {
    ...anyone,
    summary: 'Sign in with a passkey',
    body: passkeyAnswerBody,
    bodyBytesMax: passkeyBytesMax,
    answer: sessionAnswer,
  },
  'POST /sign-in-link': {
    ...anyone,
    summary: 'Sign in with a link',
    body: linkBody,
    answer: sessionAnswer,
  },
  'POST /invitation': {
    ...anyone,
    summary: 'Redeem an invitation link',
    body: linkBody,
    answer: sessionAnswer,
  },
  'POST /password-reset/request': {
    ...anyone,
    summary:
      'Send an email with a link that sets a new password; the answer is the same for every address',
    body: resetRequestBody,
    answer: doneAnswer,
  },
  'POST /password-reset': {
    ...anyone,
    summary: 'Set a new password with a link from an email',
    body: resetBody,
    answer: doneAnswer,
  },
  'GET /open-id/start': {
    ...anyone,
    hasEffect: true,
    summary: 'Redirect to the identity provider; with fresh, it asks the person to sign in again',
    query: query({ fresh: flagParameter }),
    answer: null,
  },
  'GET /open-id/callback': {
    ...anyone,
    hasEffect: true,
    summary: 'Complete the sign-in after the identity provider',
    query: anything,
    answer: null,
  },
  'POST /sign-out': { ...self, summary: 'Sign out', answer: doneAnswer },
  'POST /reauthenticate': {
    ...self,
    summary: 'Confirm your identity again',
    body: proofBody,
    answer: doneAnswer,
  },
  'POST /reauthenticate/passkey/start': {
    ...self,
    summary: 'Create a challenge to confirm your identity with a passkey',
    answer: passkeyQuestion,
  },
  'POST /reauthenticate/passkey': {
    ...self,
    summary: 'Confirm your identity again with a passkey',
    body: passkeyAnswerBody,
    bodyBytesMax: passkeyBytesMax,
    answer: doneAnswer,
  },
  'POST /password': {
    ...self,
    summary: 'Set your own password and end all your other sessions',
    body: newSchema(ownPasswordDefinition),
    answer: doneAnswer,
  },
  'PATCH /me': {
    ...self,
    summary: 'Set your language and theme',
    body: editSchema(preferencesDefinition),
    answer: doneAnswer,
  },
  'POST /invitations/accept': {
    ...self,
    summary: 'Accept an invitation',
    body: invitationChoiceBody,
    answer: sessionAnswer,
  },
  'POST /invitations/decline': {
    ...self,
    summary: 'Decline an invitation',
    body: invitationChoiceBody,
    answer: sessionAnswer,
  },
  'GET /sessions': { ...self, summary: 'List your sessions', answer: sessionsAnswer },
  'DELETE /sessions/{id}': { ...self, summary: 'End one of your sessions', answer: doneAnswer },
  'POST /sessions/close-others': {
    ...self,
    summary: 'End all your other sessions',
    answer: doneAnswer,
  },
  'GET /passkeys': { ...self, summary: 'List your passkeys', answer: passkeysAnswer },
  'POST /passkeys/start': {
    ...self,
    isFresh: true,
    summary: 'Create a challenge for a new passkey',
    answer: passkeyCreation,
  },
  'POST /passkeys': {
    ...self,
    summary: 'Add a passkey',
    body: newPasskeyBody,
    bodyBytesMax: passkeyBytesMax,
    answer: passkeysAnswer,
  },
  'PATCH /passkeys/{id}': {
    ...self,
    summary: 'Rename one of your passkeys',
    body: passkeyNameBody,
    answer: passkeysAnswer,
  },
  'DELETE /passkeys/{id}': {
    ...self,
    isFresh: true,
    summary: 'Remove one of your passkeys',
    answer: passkeysAnswer,
  },
  'POST /totp/start': {
    ...self,
    isFresh: true,
    summary: 'Create a secret for an authenticator app',
    answer: totpStart,
  },
  'POST /totp/confirm': {
    ...self,
    summary: 'Enable the authenticator app',
    body: appCodeBody,
    answer: totpConfirmed,
  },
  'POST /totp/remove': {
    ...self,
    summary: 'Remove the authenticator app',
    body: codeBody,
    answer: doneAnswer,
  },
} as const satisfies OperationTable
