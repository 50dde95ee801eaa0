import { z } from 'zod'
import { textKind } from '../../fields/kind.ts'
import { emailKind, givenPasswordKind, idKind, plainTextKind } from '../../fields/kinds.ts'
import { says } from '../../fields/problems.ts'

/* What people send to sign in, and to prove once more who they are. */

const codeCharactersMax = 40
const recoveryGroup = String.raw`(?:[A-Za-z2-7][\s\-]*){4}`

/** Six digits, or a recovery code: letters and digits in groups of four. Spaces and dashes may stand anywhere. */
export const codeKind = textKind('code_wrong', {
  pattern: new RegExp(String.raw`^\s*(?:(?:\d\s*){6}|(?:${recoveryGroup}){3,4})$`),
  max: codeCharactersMax,
})

/** What was typed for a code to sign in with: whether it is right is all that counts. */
const typedCodeKind = plainTextKind(codeCharactersMax)
const linkTokenKind = plainTextKind(100)

function body<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: says('object_wrong') }).readonly()
}

/** What proves who somebody is. */
const proof = {
  password: givenPasswordKind.wire,
  /** Six digits of the app, or one of the recovery codes. Asked for with `code_needed`. */
  code: typedCodeKind.wire.exactOptional(),
}

export const proofBody = body(proof)
export type ProofRequest = z.input<typeof proofBody>

export const signInBody = body({
  email: emailKind.wire,
  ...proof,
  /** For a login whose address is not proven: the account that invited it. */
  account: idKind.wire.exactOptional(),
})

export const linkBody = body({ token: linkTokenKind.wire })

export const invitationChoiceBody = body({ account: idKind.wire })

export const codeBody = body({ code: codeKind.wire })
