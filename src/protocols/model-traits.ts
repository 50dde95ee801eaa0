import type { Effort } from '../core/neutral/model-request.ts'
import type { OutputLimitName } from '../core/upstreams/parameter-policy.ts'
import type { ReplyTraits } from './reply-traits.ts'

/**
 * The properties of one model at one vendor that a request must fit and that the reader of its replies needs. Vendors
 * fill in the traits; an encoder reads the traits of its protocol. Every field has a meaning when absent, so `{}` is
 * the newest model of the protocol's own vendor.
 */
export interface ModelTraits {
  /**
   * The traits are assumed because the server is unknown. Translated requests follow them; requests of a client that
   * speaks the server's own protocol are not changed.
   */
  readonly isGuess?: boolean
  /** Reply fields beyond the protocol. Absent: none. */
  readonly replies?: ReplyTraits
  /** chat-completions: the field that limits the output. Absent: `max_completion_tokens`. */
  readonly outputLimitField?: OutputLimitName
  /** chat-completions: the role of the system prompt. Absent: `system`. */
  readonly instructionRole?: 'system' | 'developer'
  /** chat-completions: the field in which the model accepts its own earlier reasoning. Absent: none. */
  readonly reasoningReturn?: 'reasoning_content' | 'reasoning_details'
  /** chat-completions: how structured output is requested. Absent: `json_schema`. */
  readonly structuredOutput?: 'json_schema' | 'json_object' | 'none'
  /** chat-completions: the server honours `cache_control` on parts, as OpenRouter does. Absent: no. */
  readonly takesCacheMarks?: boolean
  /** chat-completions: the server accepts `stream_options`. Absent: yes. */
  readonly takesStreamOptions?: boolean
  /** chat-completions: Google's compatible endpoint signs calls in `extra_content`. Absent: no. */
  readonly signsCalls?: boolean
  /** chat-completions and generate-content: the most stop sequences. Absent: the protocol's own limit (4, 5). */
  readonly stopMax?: number
  /** The model accepts temperature, top_p and top_k. Absent: yes. */
  readonly takesSampling?: boolean
  /**
   * How reasoning is requested. `effort`: a word (chat, responses). `adaptive`: messages with effort in output_config.
   * `budget`: a number of tokens (messages, Gemini 2.5). `level`: a word (Gemini 3). `none`: not at all. Absent: chat
   * and responses `effort`, messages `adaptive`, generate-content `level`.
   */
  readonly thinking?: 'effort' | 'adaptive' | 'budget' | 'level' | 'none'
  /** The efforts or levels that the model accepts. Absent: low, medium, high. */
  readonly efforts?: readonly Effort[]
  /** generate-content: the smallest and largest reasoning budget. */
  readonly budgetMin?: number
  readonly budgetMax?: number
  /** Reasoning cannot be disabled. Absent: it can. */
  readonly alwaysThinks?: boolean
  /** messages: the model accepts `role: system` between turns. Absent: no. */
  readonly takesSystemTurns?: boolean
  /** messages: tool_choice can force a call. Absent: yes. */
  readonly takesForcedCalls?: boolean
  /** messages: the model accepts output_config.format. Absent: yes. */
  readonly takesOutputFormat?: boolean
  /**
   * generate-content: the model accepts and expects ids on function calls, and accepts media inside results (Gemini 3).
   * Absent: yes.
   */
  readonly takesCallIds?: boolean
  /** generate-content: whether schemas are JSON Schema or the older subset of OpenAPI. Absent: `json`. */
  readonly schemaForm?: 'json' | 'classic'
}
