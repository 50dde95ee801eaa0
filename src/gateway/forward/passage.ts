import type { Fault } from '../../core/fault.ts'
import type { ReplyReading, StreamTap } from '../../protocols/protocol.ts'
import type { WholeText } from '../reply/whole-text.ts'

/**
 * How one request goes to one upstream and its reply comes back: as it stands when both sides speak one
 * protocol, translated otherwise. Decided once per attempt, before the first byte.
 */
export interface Passage {
  readonly body: string
  /** Whether replies are written anew; otherwise they go on as they came. */
  readonly isTranslated: boolean
  /** Of the client's own headers those that mean something to this upstream. */
  readonly headers: Readonly<Record<string, string>>
  /** What was left out or changed on the way to the upstream. */
  readonly warnings: readonly string[]
  /** A whole reply for the caller; undefined when it cannot be read. Throws the fault that a reply may report. */
  readReply(reply: WholeText): WholeReply | undefined
  openTap(): StreamTap
  /** An upstream's error body as a fault in words that the caller's protocol knows. */
  readFault(status: number, bodyText: string): Fault
}

export interface WholeReply {
  readonly reading: ReplyReading
  /** Of a long reply that was translated, with marks where its long texts go. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** What later requests may refer to; see `conversations`. */
  readonly kept?: KeptReply | undefined
}

/** A reply in the responses protocol that later requests may refer to. */
export interface KeptReply {
  readonly id: string
  /** The whole response object, for one that this gateway wrote; undefined when the upstream keeps it. */
  readonly responseText: string | undefined
  /** What the upstream has reported for the turn, when it keeps the response. */
  readonly turnTokens?: number | undefined
}
