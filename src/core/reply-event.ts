import type { Fault } from './fault.ts'
import type { Annotation, MediaSource, Opaque } from './model-request.ts'
import type { TokenUsage } from './usage.ts'

/**
 * A reply as it comes, in no protocol's words. Order: one `reply-start`; then parts, strictly one after another
 * within an answer (start, deltas, end); `usage` any number of times, a later one replaces an earlier one; at
 * last one `reply-end`, or a `fault` after which nothing follows. A whole reply is the same list at once.
 */
export type ReplyEvent =
  | ReplyStart
  | PartStart
  | PartDelta
  | PartEnd
  | UsageEvent
  | ReplyEnd
  | FaultEvent

export interface ReplyStart {
  readonly type: 'reply-start'
  /** The upstream's own id of the reply. */
  readonly id: string | undefined
  /** The upstream's own name of the model that answered. */
  readonly model: string | undefined
}

export interface PartStart {
  readonly type: 'part-start'
  /** Which of several answers it belongs to; 0 when one was asked for. */
  readonly answer: number
  readonly part: PartHead
}

/** What is known of a part when it begins. */
export type PartHead =
  | { readonly type: 'text' | 'reasoning' | 'refusal' }
  | {
      readonly type: 'tool-call'
      /** Final, never changed later: the decoder waits until both are complete, and mints an id where none comes. */
      readonly id: string
      readonly name: string
      readonly form: 'function' | 'custom'
      readonly namespace?: string | undefined
      /** What an encoder may need before the arguments come. Also set at the end of the part. */
      readonly opaque?: Opaque | undefined
    }
  | {
      readonly type: 'media'
      readonly mime: string
      readonly source: MediaSource
    }
  | { readonly type: 'hosted'; readonly protocol: string; readonly json: string }

export interface PartDelta {
  readonly type: 'part-delta'
  readonly answer: number
  /** More of the text, or of the arguments of a call (JSON text for a function, free text for a custom tool). */
  readonly text: string
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

export interface PartEnd {
  readonly type: 'part-end'
  readonly answer: number
  readonly opaque?: Opaque | undefined
  readonly annotations?: readonly Annotation[] | undefined
}

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[] | undefined
  readonly top: readonly {
    readonly token: string
    readonly logprob: number
    readonly bytes: readonly number[] | undefined
  }[]
}

export interface UsageEvent {
  readonly type: 'usage'
  readonly usage: TokenUsage
  /** Told before the answer, when only the prompt's size is known: no bill for an answer that then never comes. */
  readonly isProvisional?: boolean
}

export interface ReplyEnd {
  readonly type: 'reply-end'
  /** One for each answer, in order. */
  readonly finishes: readonly Finish[]
}

export interface FaultEvent {
  readonly type: 'fault'
  readonly fault: Fault
}

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'pause'
  | 'malformed-call'
  | 'other'

/** Why an answer ended: our word, and the vendor's own. Tool calls beat everything but the token limit. */
export interface Finish {
  readonly reason: FinishReason
  readonly raw: string | undefined
  readonly stopSequence?: string | undefined
  /** What the vendor says about a refusal. */
  readonly explanation?: string | undefined
}
