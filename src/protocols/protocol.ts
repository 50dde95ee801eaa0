import type { Fault } from '../core/fault.ts'
import type { ModelListing } from '../core/model-listing.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { TokenUsage } from '../core/usage.ts'
import type { JsonObject } from '../wire/json.ts'
import type { MemberSpan } from '../wire/scan-json.ts'
import type { SseFrame } from '../wire/sse-framer.ts'

/** A request body: its text as sent, what it means, and where its outermost members stand in the text. */
export interface JsonBody {
  readonly text: string
  readonly value: JsonObject
  readonly members: ReadonlyMap<string, MemberSpan>
}

/** What the gateway must know of any request before it can price and route it. */
export interface RequestFacts {
  readonly model: string
  readonly isStream: boolean
  /** The caller's own limit on output tokens of one answer; undefined when none was sent. */
  readonly outputTokensMax: number | undefined
  /** How many answers are asked for. */
  readonly answers: number
  /** Whether the caller wants usage in the stream; the gateway always asks the upstream for it. */
  readonly wantsStreamUsage: boolean
}

/** What a reply, whole or so far, says about itself. */
export interface ReplyReading {
  /** As the upstream reported it last. */
  readonly usage: TokenUsage | undefined
  /** Output delivered, estimated from its text, for an upstream that reports nothing. */
  deliveredTokens(): number
}

/** What to do with one event of a stream on its way through. */
export interface FrameVerdict {
  /** Undefined: leave it out; otherwise these bytes go to the caller. */
  readonly bytes: Uint8Array | undefined
  /** The event that ends the stream: it leaves only after the request is settled. */
  readonly isTerminator: boolean
  /** The upstream reports a failure in this event. */
  readonly fault: Fault | undefined
  /** The event carries something the caller came for. */
  readonly isContent: boolean
}

/** Reads a stream as it passes, without holding it up. */
export interface StreamTap {
  read(frame: SseFrame): FrameVerdict
  reading(): ReplyReading
}

/** Same protocol on both sides: bytes are forwarded, one field is patched, usage is tapped. */
export interface PassThrough {
  /** 400 for a body that is not this protocol's. */
  decodeFacts(body: JsonBody): RequestFacts
  encodeForward(body: JsonBody, facts: RequestFacts, upstreamModel: string): string
  readReply(value: unknown): ReplyReading
  openTap(facts: RequestFacts): StreamTap
  /** An upstream's error body as a fault that keeps the upstream's own words. */
  readFault(status: number, bodyText: string): Fault
}

export interface ModelPage {
  readonly models: readonly ModelListing[]
  readonly query: URLSearchParams
}

/** One wire format. */
export interface Protocol {
  readonly name: ProtocolName
  /** Undefined while model requests of this protocol are not served. */
  readonly passThrough: PassThrough | undefined
  encodeFault(fault: Fault, requestId: string): JsonObject
  /** The form a failure takes once the stream has begun, as bytes of the stream. */
  encodeFaultEvent(fault: Fault, requestId: string): string
  encodeModelList(page: ModelPage): JsonObject
  encodeModel(model: ModelListing): JsonObject
}
