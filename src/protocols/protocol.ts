import type { Fault } from '../core/fault.ts'
import type { LimitHeader } from '../core/limits/rate-limit.ts'
import type { FeatureName, FeatureUses } from '../core/money/feature.ts'
import type { TokenUsage } from '../core/money/usage.ts'
import type { CallLimits } from '../core/neutral/call-limits.ts'
import type { ModelListing } from '../core/neutral/model-listing.ts'
import type { ModelRequest } from '../core/neutral/model-request.ts'
import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import type { JsonObject } from '../wire/json.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import type { ClientCalls } from './client-calls.ts'
import type { FeatureMeter, MeterParams } from './measure/feature-meter.ts'
import type { InputMeasure } from './measure/input-measure.ts'
import type { ModelTraits } from './model-traits.ts'
import type { ReplyTraits } from './reply-traits.ts'
import type { JsonBody, PathFacts, RequestFacts } from './request-facts.ts'
import type { Translation } from './translation.ts'

/** The facts that a reply, whole or so far, reports about itself. */
export interface ReplyReading {
  /** The last usage that the upstream reported. */
  readonly usage: TokenUsage | undefined
  /** The report came at the beginning of the answer. It is not charged if the answer then never comes. */
  readonly isUsageProvisional?: boolean
  /** The report covers only a part of the answer: more output may have followed. */
  readonly isUsageInterim?: boolean
  /** An estimate of the received output tokens from the text, reasoning text included. */
  deliveredTokens(): number
  /** The part of the delivered tokens that is reasoning text. */
  reasoningTokens?(): number
  /** The upstream has reported that the answer is complete. Only usage and the last event are missing. */
  readonly isFinished?: boolean
  /** The id of the reply, in protocols whose later requests may refer to it. */
  readonly replyId?: string | undefined
  /** The features that were used, for a request that asked for features. */
  readonly features?: FeatureUses | undefined
}

/** How to forward one event of a stream. */
export interface FrameVerdict {
  /** The bytes for the client; undefined drops the event. */
  readonly bytes: Uint8Array | undefined
  /** The bytes that follow `bytes`, for an event that is written in several pieces. */
  readonly more?: readonly Uint8Array[]
  /** The event ends the stream. It is sent only after the request is settled. */
  readonly isTerminator: boolean
  /** The upstream reports a failure in this event. */
  readonly fault: Fault | undefined
  /** The event carries content for the client. */
  readonly isContent: boolean
}

/** Reads a stream as it passes, without delaying it. */
export interface StreamTap {
  read(frame: SseFrame): FrameVerdict
  /**
   * Called when the upstream has closed. Returns the last of the stream as a terminator if every answer has finished
   * and the protocol, or its servers in practice, has no last event; undefined when the stream was cut.
   */
  end(): FrameVerdict | undefined
  /** Every answer has finished: the stream ends successfully even if the connection breaks or stays silent. */
  readonly isCertain?: boolean
  /** The protocol's form of a failure at this point of the stream, where the form depends on what has been sent. */
  faultText?(fault: Fault, requestId: string): string
  /**
   * The end of an answer that the gateway cuts for lack of money: the answer reports that its token limit is reached.
   */
  cutText?(usage: TokenUsage): string
  /** The bytes of a `faultText` or `cutText`, for a tap whose text contains marks. */
  encode?(text: string): readonly Uint8Array[]
  /** responses: the written response, for later requests that refer to it. */
  kept?(): { readonly id: string; readonly responseText: string | undefined } | undefined
  /** Some of the last input is written in a later turn of the event loop, by `goOn`. */
  readonly hasMore?: boolean
  writeMore?(): FrameVerdict
  reading(): ReplyReading
  /** The client has gone: from now on the tap reads the stream only for its usage and writes or keeps nothing. */
  abandon?(): void
}

/** The upstream that bytes are forwarded to. */
export interface ForwardTarget {
  readonly model: string
  /** A larger limit of the client is lowered to this value: clients request more than a model allows. */
  readonly outputTokensMax: number
  readonly traits: ModelTraits
  /** The limits on the upstream's calls of its own tools. */
  readonly calls?: CallLimits | undefined
}

/** Client and upstream speak the same protocol: bytes are forwarded, single fields are patched, usage is tapped. */
export interface PassThrough {
  /** Client headers that have a meaning for an upstream of the same protocol (betas, versions). */
  readonly forwardedHeaders: readonly string[]
  /** Headers that the upstream knows under another name than some of its clients. */
  renamedHeaders?(headers: Headers): Readonly<Record<string, string>>
  /** Throws a 400 for a body that is not valid in this protocol. */
  decodeFacts(body: JsonBody, path: PathFacts): RequestFacts
  /** The input that the body's bytes do not bound. Visits each part once and reads no text. */
  measureInput(value: JsonObject): InputMeasure
  encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string
  readReply(value: unknown, traits: ReplyTraits): ReplyReading
  openTap(facts: RequestFacts, traits: ReplyTraits): StreamTap
  /** Counts the features that replies to a request have used. */
  openFeatureMeter(params: MeterParams): FeatureMeter
  /** Converts an upstream's error body to a fault that keeps the upstream's own message. */
  readFault(status: number, bodyText: string): Fault
}

export interface ModelPage {
  readonly models: readonly ModelListing[]
  readonly query: URLSearchParams
}

/** Counting the tokens of a prompt, for protocols that have a call for it. */
export interface Counting {
  /** The model and the required fields of the body; in generate-content the request may be nested. */
  decodeCount(body: JsonBody, path: PathFacts): RequestFacts
  /** The whole request to count, for an upstream of another protocol. */
  decodeCountRequest(body: JsonBody, facts: RequestFacts): ModelRequest
  /** The client's own bytes for an upstream of the same protocol. */
  encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string
  /** Makes a counting body from a generating body that `encodeRequest` wrote for this model of the upstream. */
  encodeCountRequest(generatingBody: string, model: string): string
  /** The count in an upstream's response; undefined when the response is not a count. */
  readCount(value: unknown): number | undefined
  encodeCount(inputTokens: number): JsonObject
}

/** Requests that continue an earlier reply, and reading that reply again: responses only. */
export interface Continuing {
  /** The ids of the items that the body refers to without containing them. */
  referredItems(body: JsonObject): readonly string[]
  /**
   * Puts the stored items before the body's own input and removes every reference. A referenced item may also be in one
   * of the other lists. Throws a 400 for an unknown item.
   */
  expandInput(bodyText: string, storedItems: string, otherLists: readonly string[]): string
  /** JSON: the input of a request, as it is kept with the response of this id. */
  storedInputOf(bodyText: string, responseId: string): string
  /** JSON: the items that the next turn begins with: the input and the output of a response of this gateway. */
  storedItemsOf(storedInput: string, responseText: string): string
  /** The reply to a request for the input items of a response. */
  encodeInputItems(storedItems: string, responseText: string): JsonObject
  /** Makes a compaction body from a generating body that `encodeRequest` wrote. */
  compactingBody(generatingBody: string): string
  /** The end of the URL of a compaction request. */
  readonly compactingPath: string
  /** The prefix of reply ids. */
  readonly replyIdPrefix: string
  /** The id of a response that this gateway has written. */
  replyIdIn(responseText: string): string | undefined
}

/** The members of a body that hold the beginning of a conversation. */
export interface ConversationOpening {
  /** The members with the system prompt. */
  readonly instructions: readonly string[]
  /** The member with the turns, or with a single text. */
  readonly turns: string
}

/** How a request limits the upstream's calls of its own tools. */
export type CallLimitForm =
  /** One limit for all tools. */
  | { readonly kind: 'together' }
  /** A limit for each of these tools. */
  | { readonly kind: 'each'; readonly features: readonly FeatureName[] }

/** The properties of a protocol that a request to an upstream depends on, besides its fields. */
export interface UpstreamSide {
  /** Features that a translated request can still request. */
  readonly carries: readonly FeatureName[]
  /** Absent: the protocol has no limit for calls. */
  readonly callLimit?: CallLimitForm
  /**
   * Whether the gateway must fetch this URL and put the content into the request, because the upstream does not fetch
   * it. Absent: never.
   */
  needsInline?(url: string): boolean
  /** Names of members may be in camel case or in snake case. */
  readonly hasTwoSpellings?: boolean
  /** Servers differ in which of two members limits the output. */
  readonly hasTwoLimits?: boolean
  /** Whether a model accepts earlier reasoning without a signature. Absent: never. */
  takesPlainThoughts?(traits: ModelTraits): boolean
}

export interface ErrorCodes {
  readonly type: string | undefined
  readonly code: string | undefined
}

/** One wire format. */
export interface Protocol {
  readonly name: ProtocolName
  /** The operation of its model requests in OpenTelemetry's conventions. */
  readonly operationName: 'chat' | 'generate_content'
  /** Protocols of one family share their error codes and most other conventions. */
  readonly family: string
  readonly clientCalls: ClientCalls
  readonly opening: ConversationOpening
  /** The paths of the members that name the end user; the most specific first. */
  readonly endUserPaths: readonly (readonly string[])[]
  readonly passThrough: PassThrough
  readonly translation: Translation
  readonly upstreamSide: UpstreamSide
  /** The bytes for a long silence; a comment unless the protocol has its own form. */
  readonly keepAlive?: string
  /** The keep-alive before the first event, where an event of the protocol is not allowed. */
  readonly earlyKeepAlive?: string
  readonly continuing?: Continuing
  /** Undefined for chat-completions, which has no call for counting. */
  readonly counting: Counting | undefined
  encodeFault(fault: Fault, requestId: string): JsonObject
  /** The headers from which clients of this protocol read their rate limits. Absent: they read none. */
  readonly limitHeaders?: readonly LimitHeader[]
  /**
   * The error terms that clients of this protocol know, for an error from an upstream of another family. Absent: none.
   */
  errorCodesOf?(status: number, message: string, code: string | undefined): ErrorCodes
  /** The form of a failure after the stream has begun, as text of the stream. */
  encodeFaultEvent(fault: Fault, requestId: string): string
  encodeModelList(page: ModelPage): JsonObject
  encodeModel(model: ModelListing): JsonObject
}
