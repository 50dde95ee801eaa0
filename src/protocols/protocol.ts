import type { CallLimits } from '../core/call-limits.ts'
import type { Fault } from '../core/fault.ts'
import type { FeatureName, FeatureUses } from '../core/feature.ts'
import type { ModelListing } from '../core/model-listing.ts'
import type { ModelRequest } from '../core/model-request.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { TokenUsage } from '../core/usage.ts'
import type { JsonObject } from '../wire/json.ts'
import type { MemberSpan } from '../wire/scan-json.ts'
import type { StringSpan } from '../wire/sliced-json.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import type { TextCuts } from '../wire/text-cuts.ts'
import type { ClientCalls } from './client-calls.ts'
import type { FeatureMeter, MeterQuestion } from './feature-meter.ts'
import type { ExtraFacts } from './feature-requests.ts'
import type { InputMeasure } from './input-measure.ts'
import type { ModelTraits } from './model-traits.ts'
import type { ReplyTraits } from './reply-traits.ts'
import type { Translation } from './translation.ts'

/** A request body: its text as sent, what it means, and where its outermost members stand in the text. */
export interface JsonBody {
  /** As it came. Of a long body without the insides of its long strings, which left marks. */
  readonly text: string
  readonly value: JsonObject
  readonly members: ReadonlyMap<string, MemberSpan>
  /** Escape sequences in the strings of a long body; nobody counts those of a short one. */
  readonly escapes?: number
  /** What was taken out of the text of a long body; undefined when nothing was. Whatever is written is filled with it. */
  readonly cuts?: TextCuts | undefined
  /** Where long texts and media stand in the text of a long body; undefined for a short one. */
  readonly longStrings?: readonly StringSpan[] | undefined
  /** How many names and items a long body has. */
  readonly nodes?: number | undefined
}

/** What the gateway must know of any request before it can price and route it. */
export interface RequestFacts extends ExtraFacts {
  readonly model: string
  readonly isStream: boolean
  /** The caller's own limit on output tokens of one answer; undefined when none was sent. */
  readonly outputTokensMax: number | undefined
  /** How many answers are asked for. */
  readonly answers: number
  /** Whether the caller wants usage in the stream; the gateway always asks the upstream for it. */
  readonly wantsStreamUsage: boolean
  readonly framing: StreamFraming
  /** responses: the conversation is to be shortened, not answered. */
  readonly isCompaction?: boolean
}

/** What a reply, whole or so far, says about itself. */
export interface ReplyReading {
  /** As the upstream reported it last. */
  readonly usage: TokenUsage | undefined
  /** The report stands at the beginning of the answer: no bill for an answer that then never comes. */
  readonly isUsageProvisional?: boolean
  /** The report covers only a part of the answer: output may have followed since. */
  readonly isUsageInterim?: boolean
  /** Output received, estimated from its text, reasoning text included. */
  deliveredTokens(): number
  /** How many of these are reasoning text. */
  reasoningTokens?(): number
  /** The upstream has said that the answer is complete; only its usage and its last event are missing. */
  readonly isFinished?: boolean
  /** The reply's own id, in protocols whose later requests may refer to it. */
  readonly replyId?: string | undefined
  /** What was used beyond plain tokens, of a request that asked for it. */
  readonly features?: FeatureUses | undefined
}

/** What to do with one event of a stream on its way through. */
export interface FrameVerdict {
  /** Undefined: leave it out; otherwise these bytes go to the caller. */
  readonly bytes: Uint8Array | undefined
  /** What follows these bytes, of what is written in several pieces. */
  readonly more?: readonly Uint8Array[]
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
  /**
   * The upstream has closed. The last of the stream, as a terminator, where every answer has finished and the
   * protocol, or a habit of its servers, has no last event; undefined when the stream was cut.
   */
  end(): FrameVerdict | undefined
  /** Every answer has finished: the stream ends well even if the connection breaks or stays silent. */
  readonly isCertain?: boolean
  /** The protocol's form of a failure at this place of the stream, where that depends on what has been sent. */
  faultText?(fault: Fault, requestId: string): string
  /** The truthful end of an answer that is cut here for lack of money: its token limit is reached. */
  cutText?(usage: TokenUsage): string
  /** Either of these as bytes, where the text alone is not all of it. */
  encode?(text: string): readonly Uint8Array[]
  /** responses: what was written, for later requests that refer to it. */
  kept?(): { readonly id: string; readonly responseText: string | undefined } | undefined
  /** Of what was read last some is written in a later turn of the event loop, by `goOn`. */
  readonly isUnsaid?: boolean
  goOn?(): FrameVerdict
  reading(): ReplyReading
  /** Nobody reads the stream any more: from now on it is only read for its usage, and nothing is written or kept. */
  forsake?(): void
}

/** What the path of a request says; the other protocols say it in the body. */
export interface PathFacts {
  readonly model: string | undefined
  readonly isStream: boolean | undefined
  readonly framing: StreamFraming
  readonly isCompaction?: boolean
}

/** How a stream is written; `json-list` is generate-content without `alt=sse`. */
export type StreamFraming = 'sse' | 'json-list'

/** The upstream that bytes are forwarded to. */
export interface ForwardTarget {
  readonly model: string
  /** A limit of the caller's that is larger is lowered to this: clients ask for more than a model has. */
  readonly outputTokensMax: number
  readonly traits: ModelTraits
  /** What the upstream is told about calls of its own tools. */
  readonly calls?: CallLimits | undefined
}

/** Same protocol on both sides: bytes are forwarded, one field is patched, usage is tapped. */
export interface PassThrough {
  /** Headers of the client that mean something to an upstream of the same protocol (betas, versions). */
  readonly forwardedHeaders: readonly string[]
  /** Those that the upstream knows by another name than some of its clients. */
  renamedHeaders?(headers: Headers): Readonly<Record<string, string>>
  /** 400 for a body that is not this protocol's. */
  decodeFacts(body: JsonBody, path: PathFacts): RequestFacts
  /** What of its input the body's bytes do not bound. Looks at each part once, and at no text. */
  measureInput(value: JsonObject): InputMeasure
  encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string
  readReply(value: unknown, traits: ReplyTraits): ReplyReading
  openTap(facts: RequestFacts, traits: ReplyTraits): StreamTap
  /** Counts what replies to a request for features have used. */
  openFeatureMeter(question: MeterQuestion): FeatureMeter
  /** An upstream's error body as a fault that keeps the upstream's own words. */
  readFault(status: number, bodyText: string): Fault
}

export interface ModelPage {
  readonly models: readonly ModelListing[]
  readonly query: URLSearchParams
}

/** Asking how many tokens a prompt has, for protocols with a call of its own for that. */
export interface Counting {
  /** The model and what the body must have; for generate-content the request may be nested. */
  decodeCount(body: JsonBody, path: PathFacts): RequestFacts
  /** The whole request that is to be counted, for an upstream of another protocol. */
  decodeCountRequest(body: JsonBody, facts: RequestFacts): ModelRequest
  /** The caller's own bytes for an upstream of the same protocol. */
  encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string
  /** A counting body made of a generating body that `encodeRequest` wrote for this model of the upstream. */
  encodeCountRequest(generatingBody: string, model: string): string
  /** What an upstream answered; undefined when it is no count. */
  readCount(value: unknown): number | undefined
  encodeCount(inputTokens: number): JsonObject
}

/** Requests that go on from an earlier reply, and reading that reply again: responses only. */
export interface Continuing {
  /** The ids of the items that the body only refers to. */
  referredItems(body: JsonObject): readonly string[]
  /**
   * The body with the stored items in front of its own input, and no reference any more. An item that it refers
   * to may also stand in one of the other lists. 400 for an unknown item.
   */
  expandInput(bodyText: string, storedItems: string, otherLists: readonly string[]): string
  /** JSON: what a request has said, as it is kept with the response of this id. */
  storedInputOf(bodyText: string, responseId: string): string
  /** JSON: the items that the next turn begins with: what was said, and what a response of this gateway answered. */
  storedItemsOf(storedInput: string, responseText: string): string
  /** The answer to a question for the items that a response was given for. */
  encodeInputItems(storedItems: string, responseText: string): JsonObject
  /** A body that asks to shorten a conversation, made of a generating body that `encodeRequest` wrote. */
  compactingBody(generatingBody: string): string
  /** What the address of a generating request ends in, for one that asks to shorten. */
  readonly compactingPath: string
  /** How ids of replies begin. */
  readonly replyIdPrefix: string
  /** The id of a response that this gateway has written. */
  replyIdIn(responseText: string): string | undefined
}

/** Where the body of a request has what a conversation begins with. */
export interface ConversationOpening {
  /** The members with instructions. */
  readonly instructions: readonly string[]
  /** The member with the turns, or with a single text. */
  readonly turns: string
}

/** How an upstream is told how many calls of its own tools it may make. */
export type CallLimitForm =
  /** One limit for all tools. */
  | { readonly kind: 'together' }
  /** A limit for each of these tools. */
  | { readonly kind: 'each'; readonly features: readonly FeatureName[] }

/** What a request to an upstream of a protocol must know of it besides its fields. */
export interface UpstreamSide {
  /** Features that a translated request can still ask for. */
  readonly carries: readonly FeatureName[]
  /** Absent: it cannot be told. */
  readonly callLimit?: CallLimitForm
  /** Whether what stands at this address must be put into the request: the upstream does not fetch it. Absent: never. */
  needsInline?(url: string): boolean
  /** Names of members may be written in either spelling, with capitals or with underscores. */
  readonly hasTwoSpellings?: boolean
  /** Servers differ in which of two members limits the output. */
  readonly hasTwoLimits?: boolean
  /** Whether a model takes back thoughts that nobody has signed. Absent: never. */
  takesPlainThoughts?(traits: ModelTraits): boolean
}

export interface ForeignWords {
  readonly type: string | undefined
  readonly code: string | undefined
}

/** One wire format. */
export interface Protocol {
  readonly name: ProtocolName
  /** Protocols of one family share their words for errors, and say most other things in the same way. */
  readonly family: string
  readonly clientCalls: ClientCalls
  readonly opening: ConversationOpening
  readonly passThrough: PassThrough
  readonly translation: Translation
  readonly upstreamSide: UpstreamSide
  /** What is sent in a long silence; a comment unless the protocol has something of its own for it. */
  readonly keepAlive?: string
  /** The same before the first event, where an event of the protocol may not stand. */
  readonly earlyKeepAlive?: string
  readonly continuing?: Continuing
  /** Undefined for chat-completions, which cannot count. */
  readonly counting: Counting | undefined
  encodeFault(fault: Fault, requestId: string): JsonObject
  /** The words that its clients know for an error of an upstream of another family. Absent: none. */
  foreignWords?(status: number, message: string, code: string | undefined): ForeignWords
  /** The form a failure takes once the stream has begun, as bytes of the stream. */
  encodeFaultEvent(fault: Fault, requestId: string): string
  encodeModelList(page: ModelPage): JsonObject
  encodeModel(model: ModelListing): JsonObject
}
