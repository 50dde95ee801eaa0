import type { JsonObject } from '../wire/json.ts'
import type { MemberSpan } from '../wire/scan-json.ts'
import type { StringSpan } from '../wire/sliced-json.ts'
import type { TextCuts } from '../wire/text-cuts.ts'
import type { ExtraFacts } from './measure/feature-requests.ts'

/** A request body: its text as sent, its parsed value, and the spans of its outermost members in the text. */
export interface JsonBody {
  /** The text as received. In a long body, marks replace the contents of long strings. */
  readonly text: string
  readonly value: JsonObject
  readonly members: ReadonlyMap<string, MemberSpan>
  /** The number of escape sequences in the strings of a long body; undefined for a short body. */
  readonly escapes?: number
  /** The texts that were cut out of a long body; undefined when there are none. Writing a body puts them back. */
  readonly cuts?: TextCuts | undefined
  /** The spans of long texts and media in a long body; undefined for a short body. */
  readonly longStrings?: readonly StringSpan[] | undefined
  /** The number of names and items in a long body. */
  readonly nodes?: number | undefined
}

/** The facts that the gateway needs about every request before it can price and route the request. */
export interface RequestFacts extends ExtraFacts {
  readonly model: string
  readonly isStream: boolean
  /** The client's own limit on the output tokens of one answer; undefined when the client sent none. */
  readonly outputTokensMax: number | undefined
  /** The number of requested answers. */
  readonly answers: number
  /** Whether the client wants usage in the stream. The gateway always requests usage from the upstream. */
  readonly wantsStreamUsage: boolean
  readonly framing: StreamFraming
  /** responses: the request compacts the conversation instead of answering it. */
  readonly isCompaction?: boolean
}

/** The facts in the path of a request. Other protocols have them in the body. */
export interface PathFacts {
  readonly model: string | undefined
  readonly isStream: boolean | undefined
  readonly framing: StreamFraming
  readonly isCompaction?: boolean
}

/** The framing of a stream; `json-list` is generate-content without `alt=sse`. */
export type StreamFraming = 'sse' | 'json-list'
