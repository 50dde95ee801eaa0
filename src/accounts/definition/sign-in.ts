import { z } from 'zod'
import { textKind } from '../../fields/kind.ts'
import {
  givenPasswordKind,
  idKind,
  knownEmailKind,
  passwordKind,
  plainTextKind,
} from '../../fields/kinds.ts'
import { problemMessage } from '../../fields/problems.ts'

/* The requests for signing in and for confirming the user's identity again. */

const codeCharactersMax = 40
const appDigits = String.raw`(?:\d\s*){6}`
const recoveryGroup = String.raw`(?:[A-Za-z2-7][\s\-]*){4}`

/** The six digits that an authenticator app shows, before the user has recovery codes. Spaces are allowed anywhere. */
export const appCodeKind = textKind('app_code_wrong', {
  pattern: new RegExp(String.raw`^\s*${appDigits}$`),
  max: codeCharactersMax,
})

/** Six digits, or a recovery code: letters and digits in groups of four. Spaces and dashes are allowed anywhere. */
export const codeKind = textKind('code_wrong', {
  pattern: new RegExp(String.raw`^\s*(?:${appDigits}|(?:${recoveryGroup}){3,4})$`),
  max: codeCharactersMax,
})

/** A code as typed at sign-in. Its format is not checked: only a match with the expected code counts. */
const typedCodeKind = plainTextKind(codeCharactersMax)
const linkTokenKind = plainTextKind(100)

export function body<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: problemMessage('object_wrong') }).readonly()
}

/** The proof of a user's identity. */
const proof = {
  password: givenPasswordKind.wire,
  /** Six digits of the authenticator app, or a recovery code. Required after the error `code_needed`. */
  code: typedCodeKind.wire.exactOptional(),
}

export const proofBody = body(proof)
export type ProofRequest = z.input<typeof proofBody>

export const signInBody = body({
  email: knownEmailKind.wire,
  ...proof,
  /** The account that sent the invitation, for a login whose address is not verified. */
  account: idKind.wire.exactOptional(),
})

export const linkBody = body({ token: linkTokenKind.wire })

/** A request for an email with a reset link. `account` as in a sign-in. */
export const resetRequestBody = body({
  email: knownEmailKind.wire,
  account: idKind.wire.exactOptional(),
})

export const resetBody = body({ token: linkTokenKind.wire, password: passwordKind.wire })

export const invitationChoiceBody = body({ account: idKind.wire })

export const appCodeBody = body({ code: appCodeKind.wire })
export const codeBody = body({ code: codeKind.wire })
