import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** One exchange with a model API, from either set. */
export interface RecordedExchange {
  /** `<protocol>/<file>`, without the extension. */
  readonly name: string
  /** Whether the exchange is from the project's own set. */
  readonly isOwn: boolean
  readonly protocol: ProtocolName
  readonly vendor: string
  readonly model: string
  /** Undefined if only the reply was recorded. */
  readonly request: JsonObject | undefined
  readonly status: number
  readonly isStreamAsked: boolean
  /** The bytes of a stream, as text. */
  readonly sse: string | undefined
  /** The value of a whole reply. */
  readonly body: unknown
  /** False for a stream that was cut before its terminator. */
  readonly isComplete: boolean
}

/** The exchanges of one conversation in which opaque reasoning is sent back, in order. */
export interface RecordedConversation {
  readonly source: string
  readonly names: readonly string[]
}
