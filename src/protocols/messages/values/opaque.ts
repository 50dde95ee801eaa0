import type { Opaque } from '../../../core/neutral/model-request.ts'
import { gatewayIssuer, openSealed, sealOpaque, splitSealed } from '../../fit/seal-opaque.ts'

/** The vendor that the client believes it calls issued the token. The gateway cannot know which vendor that is. */
const nativeIssuer = 'native:messages'

/**
 * Stands where the protocol requires a signature and no vendor has issued one. Clients that return only signed
 * reasoning then also return this reasoning. A body that contains this token is never forwarded unchanged.
 */
const unsigned: Opaque = { issuer: gatewayIssuer, kind: 'signature', data: '' }
export const unsignedMark = sealOpaque(unsigned)

/** The token in a field of a client's request; undefined for a field without a token. */
export function decodeOpaque(field: unknown, kind: Opaque['kind']): Opaque | undefined {
  if (typeof field !== 'string' || field === '') return undefined
  const opened = openSealed(field)
  if (!opened) return { issuer: nativeIssuer, kind, data: field }
  return opened.issuer === gatewayIssuer ? undefined : opened
}

/** Some clients merge two consecutive reasoning blocks into one and join their signatures into one text. */
export function decodeSignatures(field: unknown): readonly Opaque[] {
  if (typeof field !== 'string') return []
  return splitSealed(field)
    .map((text) => decodeOpaque(text, 'signature'))
    .filter((opaque) => opaque !== undefined)
}

export function encodeOpaque(opaque: Opaque | undefined): string {
  return opaque ? sealOpaque(opaque) : unsignedMark
}

/** Whether the upstream issued the token, or may have issued it. */
export function isOwn(opaque: Opaque, issuer: string): boolean {
  return opaque.issuer === issuer || isNative(opaque)
}

export function isNative(opaque: Opaque): boolean {
  return opaque.issuer === nativeIssuer
}
