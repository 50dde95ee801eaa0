import type { CallLimits } from '../core/call-limits.ts'
import type { JsonText, ModelRequest, Tool } from '../core/model-request.ts'
import type { ReplyEvent } from '../core/reply-event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import type { ModelTraits } from './model-traits.ts'
import type { Notes } from './notes.ts'
import type { JsonBody, RequestFacts, StreamFraming } from './protocol.ts'
import type { ReplyTraits } from './reply-traits.ts'

/**
 * Both sides of a protocol, seen from the neutral form. As a client speaks it: `decodeRequest`, `openEncoder`,
 * `encodeReply`. As an upstream speaks it: `encodeRequest`, `openDecoder`, `decodeReply`.
 */
export interface Translation {
  /** The client's own names of the neutral fields, for refusals and warnings. */
  readonly fieldNames: FieldNames
  /** What names and ids of tools an upstream of this protocol takes; requests are fitted before they are encoded. */
  readonly toolRules: ToolRules
  /** 400 for a body that is not this protocol's. `facts` holds what the path says (model, streaming). */
  decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest
  /**
   * The upstream's own body, to be written by `writeJson`: of a long request that is a step of its own. What it cannot
   * say is noted, or refused through the notes.
   */
  encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject
  /** The reply as a stream, for the client. */
  openEncoder(context: ReplyContext): EventEncoder
  /** The reply in one piece, for the client; the events are complete and end in `reply-end`. */
  encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText
  /** The upstream's stream. */
  openDecoder(context: UpstreamContext): EventDecoder
  /** The upstream's reply in one piece; a body that is none of this protocol's gives one `fault` event. */
  decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[]
}

export interface ToolRules {
  readonly nameLengthMax: number
  /** The characters that a name may consist of, as a whole-string pattern: `/^[a-zA-Z0-9_-]+$/`. */
  readonly namePattern: RegExp
  readonly callIdLengthMax: number
  readonly callIdPattern: RegExp
  /** Custom tools (free text) exist; otherwise they become functions with one string `input`. */
  readonly takesCustomTools: boolean
  /** Tools may be grouped in namespaces; otherwise the two names are one, with `__` between them. */
  readonly takesNamespaces: boolean
}

/** The upstream that a request is written for. */
export interface Target {
  /** The upstream's own id of the model. */
  readonly model: string
  /** Opaque reasoning goes out only to the one that issued it. */
  readonly issuer: string
  readonly traits: ModelTraits
  /** The most that the model may write; protocols that require a limit use it when the client gave none. */
  readonly outputTokensMax: number
  /** What the upstream is told about calls of its own tools. */
  readonly calls?: CallLimits | undefined
}

/** What a decoder must know of the upstream. */
export interface UpstreamContext {
  readonly issuer: string
  /** What the upstream's replies have beyond the protocol. */
  readonly replies: ReplyTraits
  /** How many answers were asked for; absent: one. */
  readonly answers?: number
  /** A new unique id: the prefix and 22 letters or digits. */
  mint(prefix: string): string
}

/** What an encoder must know of the request that it answers. */
export interface ReplyContext {
  readonly request: ModelRequest
  /** The gateway's own id of the request, for errors inside the stream. */
  readonly requestId: string
  /** The client's own body, for protocols that repeat it in the reply. */
  readonly body: JsonObject
  /** Whether the client asked for usage in the stream, where the protocol leaves that open. */
  readonly wantsStreamUsage: boolean
  readonly framing: StreamFraming
  readonly createdAtSeconds: number
  /** A reading of the prompt's size for protocols that tell it before the upstream has. */
  readonly estimatedInputTokens: number
  /** For JSON that a protocol repeats at the end of a stream. Without it everything is written in its place. */
  readonly setAside?: SetAsideText | undefined
  mint(prefix: string): string
}

/**
 * Keeps a piece of JSON text and gives a mark that stands for it wherever it is written: a long text is encoded once,
 * while it comes, however often the end of the stream repeats it.
 */
export type SetAsideText = (json: string) => string

/** Writes neutral events as one protocol's stream. */
export interface EventEncoder {
  /** Wire text, empty when the event says nothing in this protocol. The text of `reply-end` ends the stream. */
  push(event: ReplyEvent): string
  /** responses: the whole response object, once `reply-end` has been written; later requests may refer to it. */
  finalResponse?(): string | undefined
}

/** Reads one protocol's stream. */
export interface EventDecoder {
  push(frame: SseFrame): ReplyEvent[]
  /** The upstream has closed: what is still to say, ending in `reply-end` if the reply was complete, else nothing. */
  end(): ReplyEvent[]
  /** Every answer has finished: the stream ends well even if the connection breaks or stays silent. */
  readonly isCertain?: boolean
}

/** Fields of a request that some protocol cannot say. */
export type RequestFieldName =
  | 'answers'
  | 'cacheKey'
  | 'cacheMark'
  | 'endUser'
  | 'extras'
  | 'format'
  | 'frequencyPenalty'
  | 'logitBias'
  | 'logprobs'
  | 'messages'
  | 'metadata'
  | 'outputTokensMax'
  | 'parallelCalls'
  | 'presencePenalty'
  | 'reasoning'
  | 'seed'
  | 'serviceTier'
  | 'stop'
  | 'system'
  | 'temperature'
  | 'toolChoice'
  | 'tools'
  | 'topK'
  | 'topP'
  | 'verbosity'

export type FieldNames = Readonly<Record<RequestFieldName, string>>

export function isCallable(tool: Tool): tool is Exclude<Tool, { type: 'hosted' }> {
  return tool.type !== 'hosted'
}
