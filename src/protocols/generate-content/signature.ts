import type { Opaque } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'
import { openSealedBase64, sealOpaqueAsBase64 } from '../fit/seal-opaque.ts'
import { textOf } from './field-of.ts'

/** Signatures that came from the service itself to a client of this protocol; which account issued them is not known. */
export const nativeIssuer = 'native:generate-content'

/** The documented word for a call that was never signed. */
export const skipValidation = 'skip_thought_signature_validator'

/** Words that clients send where they have no signature, plain or in base64. */
const words = [skipValidation, 'context_engineering_is_the_way_to_go']
const placeholders: ReadonlySet<string> = new Set([
  '',
  ...words,
  ...words.map((word) => new TextEncoder().encode(word).toBase64()),
])

export interface ReadSignature {
  readonly opaque: Opaque
  /** Another protocol's upstream issued it for thoughts, whatever part it stands on. */
  readonly isOfThoughts: boolean
}

/** Behind the envelope of a token whose thoughts came before the part that carries it. */
const ofThoughts = '.thoughts'

/** Clients keep what stands on a call; what stands on text or thoughts some of them lose. */
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
