import type { Opaque } from '../../core/model-request.ts'
import { gatewayIssuer, openSealed, sealOpaque, splitSealed } from '../fit/seal-opaque.ts'

/** Issued by the vendor that the client itself believes to talk to; which one that is, the gateway cannot know. */
const nativeIssuer = 'native:messages'

/**
 * Stands where the protocol wants a signature and no vendor has issued one. Clients that return only signed
 * thoughts then return these as well, and a body that holds it is never forwarded as it is.
 */
const unsigned: Opaque = { issuer: gatewayIssuer, kind: 'signature', data: '' }
export const unsignedMark = sealOpaque(unsigned)

/** The token in a field of a client's request; undefined for a field that holds none. */
export function decodeOpaque(field: unknown, kind: Opaque['kind']): Opaque | undefined {
  if (typeof field !== 'string' || field === '') return undefined
  const opened = openSealed(field)
  if (!opened) return { issuer: nativeIssuer, kind, data: field }
  return opened.issuer === gatewayIssuer ? undefined : opened
}

/** There are clients that make one block of two thoughts in a row, and one text of their signatures. */
export function decodeSignatures(field: unknown): readonly Opaque[] {
  if (typeof field !== 'string') return []
  return splitSealed(field)
    .map((text) => decodeOpaque(text, 'signature'))
    .filter((opaque) => opaque !== undefined)
}

export function encodeOpaque(opaque: Opaque | undefined): string {
  return opaque ? sealOpaque(opaque) : unsignedMark
}

/** Whether the upstream has issued the token, or may have. */
export function isOwn(opaque: Opaque, issuer: string): boolean {
  return opaque.issuer === issuer || isNative(opaque)
}

export function isNative(opaque: Opaque): boolean {
  return opaque.issuer === nativeIssuer
}
