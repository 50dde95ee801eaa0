import type { Opaque } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { openSealedBase64, sealOpaqueAsBase64 } from '../../fit/seal-opaque.ts'
import { textOf } from './read-field.ts'

/** Signatures that the service itself gave to a client of this protocol. The issuing account is unknown. */
export const nativeIssuer = 'native:generate-content'

/** The documented value for a call that was never signed. */
export const skipValidation = 'skip_thought_signature_validator'

/** Values that clients send when they have no signature, plain or in base64. */
const skipValues = [skipValidation, 'context_engineering_is_the_way_to_go']
const placeholders: ReadonlySet<string> = new Set([
  '',
  ...skipValues,
  ...skipValues.map((word) => new TextEncoder().encode(word).toBase64()),
])

export interface ReadSignature {
  readonly opaque: Opaque
  /** An upstream of another protocol issued the token for reasoning, whatever part carries it. */
  readonly isOfThoughts: boolean
}

/** The suffix after the envelope of a token whose reasoning came before the part that carries it. */
const ofThoughts = '.thoughts'

/** Clients keep a signature on a call. Some of them lose a signature on text or reasoning. */
export function sealForThoughts(opaque: Opaque): string {
  return sealOpaqueAsBase64(opaque, ofThoughts)
}

export function readSignature(part: JsonObject): ReadSignature | undefined {
  const text = textOf(part, 'thoughtSignature')
  if (text === undefined || placeholders.has(text)) return undefined
  const forThoughts = openSealedBase64(text, ofThoughts)
  if (forThoughts) return { opaque: forThoughts, isOfThoughts: true }
  const sealed = openSealedBase64(text)
  if (sealed) return { opaque: sealed, isOfThoughts: false }
  const opaque: Opaque = { issuer: nativeIssuer, kind: 'signature', data: text }
  return { opaque, isOfThoughts: false }
}
