import type { ProtocolName } from '../../../src/core/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { Behaviour } from '../fake-upstream/behaviour.ts'

/** Which endpoint of the protocol was called. */
export type Endpoint = 'answer' | 'count-tokens' | 'models'

/**
 * One event of a stored stream. An object is the data of an event as its protocol frames it; text is a block as
 * it stands on the wire, without the blank line that closes it.
 */
export type StoredEvent = JsonObject | string

/** One request with its reply, as a file of test/exchanges holds it. */
export interface Exchange {
  /** Tells the exchanges of a file apart: `whole`, `stream`, `second-turn`. */
  readonly name: string
  /** `written` by hand from the public schema, or recorded from the scripted upstream that behaves like this. */
  readonly from: 'written' | Behaviour
  readonly vendor: string
  readonly model: string
  readonly endpoint?: Endpoint
  /** Exchanges of one file with the same value are one conversation, in their order. */
  readonly conversation?: string
  readonly request?: JsonObject
  readonly status: number
  readonly reply?: JsonObject
  readonly stream?: readonly StoredEvent[]
  /** The end of a stream that breaks off inside a block. */
  readonly rest?: string
  /** The stream lacks its terminator. */
  readonly isCut?: true
  /** What about the reply is not as the schema of its protocol says, and why it is kept. */
  readonly oddity?: string
}

export interface ExchangeFile {
  readonly protocol: ProtocolName
  readonly feature: string
  readonly exchanges: readonly Exchange[]
}
