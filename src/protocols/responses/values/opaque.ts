import type { Opaque } from '../../../core/neutral/model-request.ts'
import { gatewayIssuer, openSealed, sealOpaque } from '../../fit/seal-opaque.ts'
import type { SetAsideText } from '../../translation.ts'
import { WrittenBase64 } from './written-json.ts'

/** The issuer of data that the client's own vendor sealed. Only an upstream of this protocol can have sealed it. */
export const nativeIssuer = 'native:responses'

/**
 * This protocol has room for opaque data only in reasoning items. A reasoning item of its own carries the signature of
 * a call or a text, and the mark after the envelope names the part that the signature belongs to.
 */
export type CarrierPosition = 'own' | 'next' | 'last'
const marks = { own: '', next: '.next', last: '.last' } as const

export function sealFor(position: CarrierPosition, opaque: Opaque): string {
  return sealOpaque(opaque) + marks[position]
}

/**
 * Unsigned reasoning, for clients that return only sealed reasoning. The text is inside the seal, because some clients
 * return nothing else.
 */
export class SealedReasoning {
  readonly #data: WrittenBase64

  constructor(setAside: SetAsideText | undefined) {
    this.#data = new WrittenBase64(setAside)
  }

  add(text: string): void {
    this.#data.add(text)
  }

  write(): string {
    return sealOpaque({ issuer: gatewayIssuer, kind: 'sealed', data: '' }) + this.#data.write()
  }
}

export function openCarried(text: string): {
  readonly opaque: Opaque
  readonly position: CarrierPosition
} {
  for (const position of ['next', 'last'] as const) {
    if (!text.endsWith(marks[position])) continue
    const opaque = openSealed(text.slice(0, -marks[position].length))
    if (opaque) return { opaque, position }
  }
  const opaque = openSealed(text) ?? { issuer: nativeIssuer, kind: 'sealed', data: text }
  return { opaque, position: 'own' }
}
