import type { CallLimits } from '../core/neutral/call-limits.ts'
import type { JsonText, ModelRequest, Tool } from '../core/neutral/model-request.ts'
import type { ReplyEvent } from '../core/neutral/reply-event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import type { FieldNames } from './field-names.ts'
import type { ModelTraits } from './model-traits.ts'
import type { Notes } from './notes.ts'
import type { ReplyTraits } from './reply-traits.ts'
import type { JsonBody, RequestFacts, StreamFraming } from './request-facts.ts'

/**
 * Both sides of a protocol, with the neutral form between them. The client side: `decodeRequest`, `openEncoder`,
 * `encodeReply`. The upstream side: `encodeRequest`, `openDecoder`, `decodeReply`.
 */
export interface Translation {
  /** The client's names of the neutral fields, for refusals and warnings. */
  readonly fieldNames: FieldNames
  /** The tool names and ids that an upstream of this protocol accepts. Requests are fitted before they are encoded. */
  readonly toolRules: ToolRules
  /** The types of items that stand for a conversation which the vendor has summarised. Absent: none. */
  readonly compactedItems?: readonly string[]
  /**
   * Throws a 400 for a body that is not valid in this protocol. `facts` has the facts of the path (model, streaming).
   */
  decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest
  /**
   * The upstream's body. `writeJson` writes the body, which is a separate step for a long request. Fields that the
   * protocol cannot express are noted, or refused through the notes.
   */
  encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject
  /** Writes the reply as a stream for the client. */
  openEncoder(context: ReplyContext): EventEncoder
  /** Writes the whole reply for the client. The events are complete and end in `reply-end`. */
  encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText
  /** Reads the upstream's stream. */
  openDecoder(context: UpstreamContext): EventDecoder
  /** Reads the upstream's whole reply. A body that is not valid in this protocol gives one `fault` event. */
  decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[]
}

export interface ToolRules {
  readonly nameLengthMax: number
  /** The characters that a name may contain, as a whole-string pattern: `/^[a-zA-Z0-9_-]+$/`. */
  readonly namePattern: RegExp
  readonly callIdLengthMax: number
  readonly callIdPattern: RegExp
  /** The protocol has custom tools (free text). Otherwise they become functions with one string `input`. */
  readonly takesCustomTools: boolean
  /** Tools may be grouped in namespaces. Otherwise namespace and name are joined with `__`. */
  readonly takesNamespaces: boolean
}

/** The upstream that a request is written for. */
export interface Target {
  /** The upstream's id of the model. */
  readonly model: string
  /** Opaque reasoning is sent only to its issuer. */
  readonly issuer: string
  readonly traits: ModelTraits
  /** The most tokens that the model may write. Protocols that require a limit use it when the client sent none. */
  readonly outputTokensMax: number
  /** The limits on the upstream's calls of its own tools. */
  readonly calls?: CallLimits | undefined
}

/** The facts about the upstream that a decoder needs. */
export interface UpstreamContext {
  readonly issuer: string
  /** The fields of the upstream's replies that go beyond the protocol. */
  readonly replies: ReplyTraits
  /** The number of requested answers; absent: one. */
  readonly answers?: number
  /** Makes a new unique id: the prefix and 22 letters or digits. */
  mint(prefix: string): string
}

/** The facts about the request that an encoder of its reply needs. */
export interface ReplyContext {
  readonly request: ModelRequest
  /** The gateway's id of the request, for errors inside the stream. */
  readonly requestId: string
  /** The client's body, for protocols that repeat it in the reply. */
  readonly body: JsonObject
  /** Whether the client requested usage in the stream, in protocols where usage is optional. */
  readonly wantsStreamUsage: boolean
  readonly framing: StreamFraming
  readonly createdAtSeconds: number
  /** An estimate of the prompt's size, for protocols that report it before the upstream does. */
  readonly estimatedInputTokens: number
  /** For JSON that a protocol repeats at the end of a stream. If absent, the encoder writes all text in place. */
  readonly setAside?: SetAsideText | undefined
  mint(prefix: string): string
}

/**
 * Stores a piece of JSON text and returns a mark that stands for it wherever it is written. A long text is then encoded
 * only once, as it arrives, however often the end of the stream repeats it.
 */
export type SetAsideText = (json: string) => string

/** Writes neutral events as one protocol's stream. */
export interface EventEncoder {
  /**
   * The text for the stream; empty when the event has no form in this protocol. The text of `reply-end` ends the
   * stream.
   */
  push(event: ReplyEvent): string
  /** responses: the whole response object after `reply-end` has been written. Later requests may refer to it. */
  finalResponse?(): string | undefined
}

/** Reads one protocol's stream. */
export interface EventDecoder {
  push(frame: SseFrame): ReplyEvent[]
  /**
   * Called when the upstream has closed. Returns the remaining events, which end in `reply-end` if the reply was
   * complete; otherwise none.
   */
  end(): ReplyEvent[]
  /** Every answer has finished: the stream ends successfully even if the connection breaks or stays silent. */
  readonly isCertain?: boolean
}

export function isCallable(tool: Tool): tool is Exclude<Tool, { type: 'hosted' }> {
  return tool.type !== 'hosted'
}
