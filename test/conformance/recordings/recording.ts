import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'

/** One recorded exchange with a model API. */
export interface Recording {
  /** `<protocol>/<file>`, without the extension. */
  readonly name: string
  /** Of the project's own set. */
  readonly isOwn: boolean
  readonly protocol: ProtocolName
  readonly vendor: string
  readonly model: string
  readonly isStreamAsked: boolean
  /** Undefined if only the reply was recorded. */
  readonly requestText: string | undefined
  readonly status: number
  readonly reply: RecordedReply
  /** False for a stream that was cut before its terminator. */
  readonly isComplete: boolean
}

export interface RecordedReply {
  readonly form: 'stream' | 'whole'
  readonly text: string
}

/** Recordings, in order, of one conversation in which opaque reasoning is sent back. */
export interface Conversation {
  readonly source: string
  readonly recordings: readonly Recording[]
}
