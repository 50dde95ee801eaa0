import type { Fault } from '../fault.ts'
import type { TokenUsage } from '../money/usage.ts'
import type { Annotation, MediaSource, Opaque } from './model-request.ts'

/**
 * A reply as a stream of events, independent of any protocol. Order: one `reply-start`; then parts, strictly one after
 * another within an answer (start, deltas, end); any number of `usage`, each replacing the one before; finally one
 * `reply-end`, or a `fault` after which nothing follows. A whole reply is the same list at once.
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
  /** The index of the answer; 0 when one answer was requested. */
  readonly answer: number
  readonly part: PartHead
}

/** The fields of a part that are known when it begins. */
export type PartHead =
  | { readonly type: 'text' | 'reasoning' | 'refusal' }
  | {
      readonly type: 'tool-call'
      /** Final: the decoder waits until both fields are complete, and creates an id if the upstream sends none. */
      readonly id: string
      readonly name: string
      readonly form: 'function' | 'custom'
      readonly namespace?: string | undefined
      /** An encoder may need this before the arguments arrive. Also set at the end of the part. */
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
  /** Reported before the answer, when only the prompt's size is known. Not charged if the answer never arrives. */
  readonly isProvisional?: boolean
}

export interface ReplyEnd {
  readonly type: 'reply-end'
  /** One for each answer, in order. */
  readonly finishes: readonly Finish[]
  /** Content has followed the last report of usage. */
  readonly isUsageBehind?: boolean
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

/**
 * Why an answer ended: the gateway's code, and the vendor's own. Tool calls take precedence over everything but the
 * token limit.
 */
export interface Finish {
  readonly reason: FinishReason
  readonly raw: string | undefined
  readonly stopSequence?: string | undefined
  /** The vendor's explanation of a refusal. */
  readonly explanation?: string | undefined
}
