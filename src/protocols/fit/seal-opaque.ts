import type { Opaque } from '../../core/neutral/model-request.ts'
import { standardBase64 } from '../../wire/base64.ts'

/**
 * A vendor's opaque token on its way through a client that speaks another protocol: `gw1.<kind>.<issuer>.<data>`. The
 * last two fields are base64url, so that no vendor's alphabet conflicts with the separators.
 */
const mark = 'gw1'

/** The issuer of the gateway's own text in a field whose readers expect a token. */
export const gatewayIssuer = 'gateway'

const envelopeFields = 4

/** More envelopes than any client joins in one text. */
const joinedMax = 256

const kinds = { signature: 's', sealed: 'e' } as const

export function sealOpaque({ kind, issuer, data }: Opaque): string {
  return [mark, kinds[kind], toBase64Url(issuer), toBase64Url(data)].join('.')
}

/** Undefined for text that is not an envelope of this gateway: the client's own vendor issued it. */
export function openSealed(text: string): Opaque | undefined {
  if (!text.startsWith(`${mark}.`)) return undefined
  const [, kindLetter, issuer, data, ...rest] = text.split('.', envelopeFields + 1)
  if (!issuer || data === undefined || rest.length > 0) return undefined
  const kind = kindOf(kindLetter)
  if (!kind) return undefined
  try {
    return { kind, issuer: fromBase64Url(issuer), data: fromBase64Url(data) }
  } catch {
    return undefined
  }
}

/** Splits a text in which a client has joined several envelopes. Any other text is returned unchanged. */
export function splitSealed(text: string): readonly string[] {
  if (!text.startsWith(`${mark}.`)) return [text]
  const envelopes = text.split(/(?<=.)(?=gw1\.[se]\.)/, joinedMax + 1)
  return envelopes.length <= joinedMax ? envelopes : [text]
}

function kindOf(letter: string | undefined): Opaque['kind'] | undefined {
  if (letter === kinds.signature) return 'signature'
  return letter === kinds.sealed ? 'sealed' : undefined
}

/**
 * The envelope in plain base64, for a field whose readers decode it: generate-content's `thoughtSignature`. The
 * protocol defines the note after the envelope.
 */
export function sealOpaqueAsBase64(opaque: Opaque, note: string = ''): string {
  return new TextEncoder().encode(sealOpaque(opaque) + note).toBase64()
}

export function openSealedBase64(text: string, note: string = ''): Opaque | undefined {
  if (!base64Marks.some((begin) => text.startsWith(begin))) return undefined
  try {
    const sealed = new TextDecoder().decode(Uint8Array.fromBase64(standardBase64(text)))
    return sealed.endsWith(note)
      ? openSealed(sealed.slice(0, sealed.length - note.length))
      : undefined
  } catch {
    return undefined
  }
}

/** `gw1.s.` and `gw1.e.` in base64. */
const base64Begin = 'Z3cxL'
const base64Marks = ['Z3cxLnMu', 'Z3cxLmUu']
const marks = [`${mark}.s.`, `${mark}.e.`, ...base64Marks]

/** The length of the longest prefix of an envelope. */
export const sealMarkLengthMax = Math.max(...marks.map(({ length }) => length))

/** Whether a body may contain an envelope. Its bytes then cannot be forwarded unchanged. */
export function mayHoldSealed(bodyText: string): boolean {
  // These two tests rule out nearly every body. Each further search costs time on the request path.
  if (!bodyText.includes(`${mark}.`) && !bodyText.includes(base64Begin)) return false
  return marks.some((begin) => bodyText.includes(begin))
}

function toBase64Url(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: 'base64url', omitPadding: true })
}

function fromBase64Url(text: string): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    Uint8Array.fromBase64(text, { alphabet: 'base64url' }),
  )
}
