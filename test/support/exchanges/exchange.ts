import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { Behaviour } from '../fake-upstream/behaviour.ts'

/** The endpoint of the protocol. */
export type Endpoint = 'answer' | 'count-tokens' | 'models'

/**
 * One event of a stored stream. An object is the data of an event in the protocol's framing; a string is a block of the
 * wire format without the blank line that ends it.
 */
export type StoredEvent = JsonObject | string

/** One request with its reply, as stored in test/exchanges. */
export interface Exchange {
  /** Distinguishes the exchanges of a file: `whole`, `stream`, `second-turn`. */
  readonly name: string
  /** `written` by hand from the public schema, or recorded from the scripted upstream with this behaviour. */
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
  /** The incomplete last block of a stream that breaks off. */
  readonly rest?: string
  /** The stream lacks its terminator. */
  readonly isCut?: true
  /** How the reply deviates from the schema of its protocol, and why the exchange is kept. */
  readonly oddity?: string
}

export interface ExchangeFile {
  readonly protocol: ProtocolName
  readonly feature: string
  readonly exchanges: readonly Exchange[]
}
