/** An image: its media type and its bytes in base64. */
export interface Picture {
  readonly mediaType: string
  readonly data: string
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, which grows while it streams. */
  readonly argumentText: string
}

/** One turn of the conversation, independent of the protocol. */
export type ChatTurn =
  | { readonly kind: 'user'; readonly text: string; readonly picture?: Picture }
  | {
      readonly kind: 'model'
      readonly text: string
      readonly reasoning: string
      readonly calls: readonly ToolCall[]
    }
  | { readonly kind: 'result'; readonly call: ToolCall; readonly text: string }

export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  readonly parameters?: object
}

export interface PlaySettings {
  readonly model: string
  readonly system: string
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly isStream: boolean
  readonly tools: readonly ToolDefinition[]
}

export interface WireRequest {
  /** Relative to the gateway's URL. */
  readonly path: string
  readonly body: object
}

/** The content that one event, or a complete response, adds to the model's turn. */
export interface ReplyDelta {
  readonly text?: string
  readonly reasoning?: string
  readonly call?: {
    readonly index: number
    readonly id?: string
    readonly name?: string
    readonly more: string
    /** Replaces the earlier content. */
    readonly isWhole?: boolean
  }
  readonly usage?: { readonly input?: number; readonly output?: number }
  readonly problem?: string
}
