import type { Fault } from '../../core/fault.ts'
import type { ReplyReading, StreamTap } from '../../protocols/protocol.ts'
import type { WholeText } from '../reply/whole-text.ts'

/**
 * How one request goes to one upstream and how its reply returns: unchanged when both sides speak the same protocol,
 * otherwise translated. Decided once per attempt, before the first byte.
 */
export interface Passage {
  readonly body: string
  /** Whether replies are rewritten; otherwise they pass unchanged. */
  readonly isTranslated: boolean
  /** The client's headers that this upstream understands. */
  readonly headers: Readonly<Record<string, string>>
  /** Fields that the translation dropped or changed. */
  readonly warnings: readonly string[]
  /** A whole reply for the client; undefined when it cannot be read. Throws the fault that a reply may report. */
  readReply(reply: WholeText): WholeReply | undefined
  openTap(): StreamTap
  /** An upstream's error body as a fault of the client's protocol. */
  readFault(status: number, bodyText: string): Fault
}

export interface WholeReply {
  readonly reading: ReplyReading
  /** For a long translated reply, the body has marks in place of its long texts. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** The reply that later requests may refer to; see `conversations`. */
  readonly kept?: StorableReply | undefined
}

/** A reply in the responses protocol that later requests may refer to. */
export interface StorableReply {
  readonly id: string
  /** The whole response object, if this gateway wrote it; undefined when the upstream stores it. */
  readonly responseText: string | undefined
  /** The tokens that the upstream reported for the turn, if the upstream stores the response. */
  readonly turnTokens?: number | undefined
}
