import { z } from 'zod'
import { nameKind, plainTextKind } from '../../fields/kinds.ts'
import { problemMessage } from '../../fields/problems.ts'
import { body } from './sign-in.ts'

/*
 * The data that a browser sends about a passkey. Bytes are base64url; their content is checked when the passkey is
 * verified.
 */

/** Passkeys of one user. */
export const passkeysMax = 20
/** 1023 bytes, the limit of the standard. */
const credentialIdCharactersMax = 1364
const bytesCharactersMax = 8_000
const transportsMax = 8

const bytes = plainTextKind(bytesCharactersMax).wire
const transport = plainTextKind(32).wire

export const passkeyAnswerBody = body({
  /** The id of the credential. */
  id: plainTextKind(credentialIdCharactersMax).wire,
  clientDataJSON: bytes,
  authenticatorData: bytes,
  signature: bytes,
  userHandle: bytes.exactOptional(),
})
export type PasskeyAnswer = z.output<typeof passkeyAnswerBody>

export const newPasskeyBody = body({
  name: nameKind.wire,
  clientDataJSON: bytes,
  attestationObject: bytes,
  /** How the browser reaches the authenticator. */
  transports: z
    .array(transport, { error: problemMessage('list_wrong') })
    .max(transportsMax, { error: problemMessage('list_wrong') })
    .readonly(),
})
export type NewPasskey = z.output<typeof newPasskeyBody>

export const passkeyNameBody = body({ name: nameKind.wire })
