import type { Effort } from '../core/model-request.ts'
import type { OutputLimitName } from '../core/parameter-policy.ts'
import type { ReplyTraits } from './reply-traits.ts'

/**
 * The habits of one model at one vendor that a request must fit, and by which its replies are read. Vendors fill it in; an encoder reads what
 * concerns its protocol. Every field has a meaning when absent, so `{}` is a newest model of the protocol's
 * own vendor.
 */
export interface ModelTraits {
  /**
   * Assumed of a server that nobody knows. A translated request is written by it; the words of a client that
   * speaks the server's own protocol are left alone.
   */
  readonly isGuess?: boolean
  /** What its replies have beyond the protocol. Absent: nothing. */
  readonly replies?: ReplyTraits
  /** chat-completions: which field limits the output. Absent: `max_completion_tokens`. */
  readonly outputLimitField?: OutputLimitName
  /** chat-completions: the role of instructions. Absent: `system`. */
  readonly instructionRole?: 'system' | 'developer'
  /** chat-completions: the field in which the model takes its own earlier thoughts back. Absent: none. */
  readonly reasoningReturn?: 'reasoning_content' | 'reasoning_details'
  /** chat-completions: how structured output is asked for. Absent: `json_schema`. */
  readonly structuredOutput?: 'json_schema' | 'json_object' | 'none'
  /** chat-completions: `cache_control` on parts is honoured, as OpenRouter does. Absent: no. */
  readonly takesCacheMarks?: boolean
  /** chat-completions: `stream_options` is understood. Absent: yes. */
  readonly takesStreamOptions?: boolean
  /** chat-completions: Google's compatible endpoint signs calls in `extra_content`. Absent: no. */
  readonly signsCalls?: boolean
  /** chat-completions and generate-content: most stop sequences taken. Absent: the protocol's own limit (4, 5). */
  readonly stopMax?: number
  /** Temperature, top_p and top_k are taken. Absent: yes. */
  readonly takesSampling?: boolean
  /**
   * How thinking is asked for. `effort`: a word (chat, responses). `adaptive`: messages with effort in
   * output_config. `budget`: a number of tokens (messages, Gemini 2.5). `level`: a word (Gemini 3). `none`: not
   * at all. Absent: chat and responses `effort`, messages `adaptive`, generate-content `level`.
   */
  readonly thinking?: 'effort' | 'adaptive' | 'budget' | 'level' | 'none'
  /** The efforts or levels that the model takes. Absent: low, medium, high. */
  readonly efforts?: readonly Effort[]
  /** The smallest and largest thinking budget; generate-content. */
  readonly budgetMin?: number
  readonly budgetMax?: number
  /** Thinking cannot be switched off. Absent: it can. */
  readonly alwaysThinks?: boolean
  /** messages: `role: system` is taken between turns. Absent: no. */
  readonly takesSystemTurns?: boolean
  /** messages: a call can be forced by tool_choice. Absent: yes. */
  readonly takesForcedCalls?: boolean
  /** messages: output_config.format is taken. Absent: yes. */
  readonly takesOutputFormat?: boolean
  /** generate-content: ids on function calls are taken and wanted, media inside results too (Gemini 3). Absent: yes. */
  readonly takesCallIds?: boolean
  /** generate-content: schemas as JSON Schema, or in the older subset of OpenAPI. Absent: `json`. */
  readonly schemaForm?: 'json' | 'classic'
}
