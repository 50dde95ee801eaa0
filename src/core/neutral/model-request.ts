/**
 * A model request in a neutral form that any upstream protocol can express. `undefined` means not sent. JSON that the
 * gateway does not interpret (tool arguments, schemas) stays text, so that big integers, the spelling of numbers and
 * the order of keys survive.
 */
export interface ModelRequest {
  /** The public model id, as the client wrote it. */
  readonly model: string
  readonly isStream: boolean
  /** The system prompt before the conversation. Later instructions are turns with the role `system`. */
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | undefined
  readonly parallelCalls: boolean | undefined
  readonly outputTokensMax: number | undefined
  readonly sampling: Sampling
  /** The number of requested answers; 1 by default. */
  readonly answers: number
  readonly format: OutputFormat | undefined
  readonly reasoning: ReasoningRequest | undefined
  readonly logprobs: LogprobsRequest | undefined
  readonly verbosity: string | undefined
  /** The client's identifier for its own end user. */
  readonly endUser: string | undefined
  /** The client's hint about which requests share a prefix. */
  readonly cacheKey: string | undefined
  readonly serviceTier: string | undefined
  /** Labels that the client attaches for its own use. */
  readonly metadata: JsonText | undefined
  /** A request for caching without a position: the vendor places its own breakpoint. */
  readonly cacheMark: CacheMark | undefined
  /** Fields of the outermost object that no field above covers, as sent, by their own names. */
  readonly extras: Readonly<Record<string, unknown>>
}

/** JSON text exactly as sent. */
export type JsonText = string

export type TurnRole = 'system' | 'user' | 'assistant'

export interface Turn {
  readonly role: TurnRole
  readonly parts: readonly Part[]
}

export type Part =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | MediaPart
  | RefusalPart
  | HostedPart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly cacheMark?: CacheMark | undefined
  /** Gemini may sign text as well. */
  readonly opaque?: Opaque | undefined
  readonly annotations?: readonly Annotation[] | undefined
}

/** Reasoning of the model. The text is for people; only `opaque` has a meaning for the vendor that issued it. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  /** Empty when the vendor shows no reasoning. */
  readonly text: string
  readonly opaque?: Opaque | undefined
}

/**
 * A token that one vendor issued and only that vendor understands. The gateway returns it byte for byte or not at all.
 */
export interface Opaque {
  /** The vendor that issued the token: see `issuer` of `Vendor`. */
  readonly issuer: string
  /** `signature`: proves the text beside it. `sealed`: contains the reasoning itself (redacted, encrypted). */
  readonly kind: 'signature' | 'sealed'
  readonly data: string
}

export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  /** A custom tool takes free text, a function takes JSON. */
  readonly form: 'function' | 'custom'
  /** For a function: JSON text as the model wrote it, possibly invalid. For a custom tool: free text. */
  readonly argumentsText: string
  /** The responses protocol groups tools in namespaces. */
  readonly namespace?: string | undefined
  readonly opaque?: Opaque | undefined
  readonly cacheMark?: CacheMark | undefined
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly callId: string
  /** Undefined where the protocol matches results to calls only by id; see `name-results.ts`. */
  readonly name?: string | undefined
  readonly form: 'function' | 'custom'
  readonly parts: readonly (TextPart | MediaPart)[]
  /** A result that was sent as an object; `parts` then contains the same result as text. */
  readonly json?: JsonText | undefined
  readonly isError: boolean
  readonly cacheMark?: CacheMark | undefined
}

export interface MediaPart {
  readonly type: 'media'
  readonly kind: 'image' | 'document' | 'audio' | 'video'
  /** Undefined when only the URL is known. */
  readonly mime: string | undefined
  readonly source: MediaSource
  readonly filename?: string | undefined
  readonly title?: string | undefined
  /** Resolution at which the model reads an image: low, high, auto. */
  readonly detail?: string | undefined
  readonly cacheMark?: CacheMark | undefined
}

export type MediaSource =
  | { readonly type: 'base64'; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly text: string }
  /** A file that was uploaded to one vendor. No other vendor can read it. */
  | { readonly type: 'file'; readonly id: string; readonly protocol: string }

export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
}

/** A call of a hosted tool, or its result. Only the vendor's own protocol can express it. */
export interface HostedPart {
  readonly type: 'hosted'
  readonly protocol: string
  readonly json: JsonText
}

export interface CacheMark {
  readonly ttl: '5m' | '1h'
}

/** The source of a statement. Only links mean the same in every protocol. */
export interface Annotation {
  readonly url: string
  readonly title: string | undefined
  /** Positions in the part's text, if the vendor reports them. */
  readonly start: number | undefined
  readonly end: number | undefined
  readonly citedText: string | undefined
}

export type Tool = FunctionTool | CustomTool | HostedTool

export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  readonly namespace?: string | undefined
  readonly description: string | undefined
  /** A JSON Schema of standard form; undefined for a function without parameters. */
  readonly schema: JsonText | undefined
  readonly isStrict: boolean | undefined
  readonly cacheMark?: CacheMark | undefined
}

/** A tool that takes free text, optionally constrained by a grammar. */
export interface CustomTool {
  readonly type: 'custom'
  readonly name: string
  readonly namespace?: string | undefined
  readonly description: string | undefined
  /** The `format` object as sent. */
  readonly format: JsonText | undefined
}

/** A tool that the vendor runs. `web-search` has an equivalent in every protocol; no other hosted tool has one. */
export interface HostedTool {
  readonly type: 'hosted'
  readonly kind: 'web-search' | 'other'
  /** The tool's name in its protocol. */
  readonly name: string
  readonly protocol: string
  readonly json: JsonText
}

export type ToolChoice =
  | { readonly type: 'auto' | 'required' | 'none' }
  | { readonly type: 'tool'; readonly name: string; readonly namespace?: string | undefined }
  /** Only these tools may be called; with `isRequired` one of them must be called. */
  | { readonly type: 'allowed'; readonly names: readonly string[]; readonly isRequired: boolean }

export interface Sampling {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly logitBias?: JsonText | undefined
}

export type OutputFormat =
  | { readonly type: 'json-object' }
  | {
      readonly type: 'json-schema'
      readonly name: string | undefined
      readonly description: string | undefined
      /** A JSON Schema of standard form. */
      readonly schema: JsonText
      readonly isStrict: boolean | undefined
    }

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** `auto`: the model decides how much to reason. `budget` and `effort` exclude each other. */
export interface ReasoningRequest {
  readonly mode: 'off' | 'auto' | 'effort' | 'budget'
  readonly effort?: Effort | undefined
  readonly budgetTokens?: number | undefined
  /** Whether the client wants to read the reasoning; undefined leaves this to the upstream's default. */
  readonly isVisible?: boolean | undefined
}

export interface LogprobsRequest {
  readonly top: number
}
