import type { Annotation, MediaSource, Opaque } from '../../../core/neutral/model-request.ts'
import type { PartHead, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import type { Detail } from '../values/opaque.ts'
import type { ArgumentsText } from './arguments-text.ts'

/** A part of an answer while its pieces arrive. Parts wait in a queue, because only the first may be sent. */
export type Segment = TextSegment | CallSegment | MediaSegment

export interface TextSegment {
  readonly kind: 'text' | 'reasoning' | 'refusal'
  /** Pieces that could not be sent yet. */
  readonly waiting: TextPiece[]
  hasStarted: boolean
  readonly details: Detail[]
  readonly annotations: Annotation[]
  opaque: Opaque | undefined
}

export interface TextPiece {
  readonly text: string
  readonly logprobs: readonly TokenLogprob[] | undefined
}

export interface CallSegment {
  readonly kind: 'call'
  /** The index that identifies the pieces of this call. */
  readonly index: number | undefined
  readonly form: 'function' | 'custom'
  /** The upstream's id, and the id that is sent: an empty or duplicate id is replaced. */
  id: string
  sentId: string
  name: string
  readonly text: ArgumentsText
  hasStarted: boolean
  hasEnded: boolean
  opaque: Opaque | undefined
}

export interface MediaSegment {
  readonly kind: 'media'
  readonly mime: string
  readonly source: MediaSource
}

export function textSegment(kind: TextSegment['kind']): TextSegment {
  return {
    kind,
    waiting: [],
    hasStarted: false,
    details: [],
    annotations: [],
    opaque: undefined,
  }
}

/**
 * Whether no more pieces can arrive for this part once another has begun. Arguments that are a whole JSON object are
 * complete. Other arguments may continue, because some upstreams write two calls at the same time.
 */
export function isComplete(segment: Segment): boolean {
  if (segment.kind !== 'call') return true
  if (segment.form === 'custom') return false
  return segment.text.isObject()
}

export function headOf(segment: Segment): PartHead {
  switch (segment.kind) {
    case 'call': {
      const { sentId: id, name, form, opaque } = segment
      return opaque
        ? { type: 'tool-call', id, name, form, opaque }
        : { type: 'tool-call', id, name, form }
    }
    case 'media':
      return { type: 'media', mime: segment.mime, source: segment.source }
    default:
      return { type: segment.kind }
  }
}
