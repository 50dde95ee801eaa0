import { z } from 'zod'
import { passwordKind } from '../../fields/kinds.ts'
import { passwordCharactersMax } from '../../fields/problems.ts'
import { body, code, id, text, word } from './inputs.ts'
import { anyone, type OperationTable, self } from './operation.ts'
import {
  languages,
  sessionAnswer,
  sessionsAnswer,
  themes,
  totpConfirmed,
  totpStart,
} from './session.ts'
import { doneAnswer } from './shapes.ts'

const emailCharactersMax = 254
const tokenCharactersMax = 100
const codeCharactersMax = 40

/** What proves who somebody is. */
const proof = {
  password: text(passwordCharactersMax),
  /** Six digits of the app, or one of the recovery codes. Asked for with `code_needed`. */
  code: text(codeCharactersMax).exactOptional(),
}
const signInBody = body({
  email: text(emailCharactersMax),
  ...proof,
  /** For a login whose address is not proven: the account that invited it. */
  account: id.exactOptional(),
})
const tokenBody = body({ token: text(tokenCharactersMax) })
const accountBody = body({ account: id })
const codeBody = body({ code })
/** What a provider sends along is its own affair. */
const anything = z.record(z.string(), z.string())

/** Signing in and out, and what belongs to the person who does. */
export const sessionOperations = {
  'GET /session': { ...anyone, summary: 'Who is signed in', answer: sessionAnswer },
  'POST /sign-in': {
    ...anyone,
    summary: 'Sign in with a password',
    body: signInBody,
    answer: sessionAnswer,
  },
  'POST /sign-in-link': {
    ...anyone,
    summary: 'Sign in with a link',
    body: tokenBody,
    answer: sessionAnswer,
  },
  'POST /invitation': {
    ...anyone,
    summary: 'Open an invitation',
    body: tokenBody,
    answer: sessionAnswer,
  },
  'GET /open-id/start': { ...anyone, summary: 'Go to the identity provider', answer: null },
  'GET /open-id/callback': {
    ...anyone,
    summary: 'Come back from the identity provider',
    query: anything,
    answer: null,
  },
  'POST /sign-out': { ...self, summary: 'Sign out', answer: doneAnswer },
  'POST /reauthenticate': {
    ...self,
    summary: 'Prove once more who is signed in',
    body: body(proof),
    answer: doneAnswer,
  },
  'POST /password': {
    ...self,
    summary: 'Set your own password, which ends all your other sessions',
    body: body({ password: passwordKind.wire }),
    answer: doneAnswer,
  },
  'PATCH /me': {
    ...self,
    summary: 'Set your language and theme',
    body: body({
      language: word(languages).nullable().exactOptional(),
      theme: word(themes).nullable().exactOptional(),
    }),
    answer: doneAnswer,
  },
  'POST /invitations/accept': {
    ...self,
    summary: 'Accept an invitation',
    body: accountBody,
    answer: sessionAnswer,
  },
  'POST /invitations/decline': {
    ...self,
    summary: 'Decline an invitation',
    body: accountBody,
    answer: sessionAnswer,
  },
  'GET /sessions': { ...self, summary: 'List your sessions', answer: sessionsAnswer },
  'DELETE /sessions/{id}': { ...self, summary: 'End one of your sessions', answer: doneAnswer },
  'POST /sessions/close-others': {
    ...self,
    summary: 'End all your other sessions',
    answer: doneAnswer,
  },
  'POST /totp/start': {
    ...self,
    isFresh: true,
    summary: 'Make a secret for an authenticator app',
    answer: totpStart,
  },
  'POST /totp/confirm': {
    ...self,
    summary: 'Put the authenticator app in force',
    body: codeBody,
    answer: totpConfirmed,
  },
  'POST /totp/remove': {
    ...self,
    summary: 'Remove the authenticator app',
    body: codeBody,
    answer: doneAnswer,
  },
} as const satisfies OperationTable
