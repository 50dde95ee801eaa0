import type { ProtocolName } from '../../../src/core/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** What a client may ask for, as members of its own body; absent where its protocol has no word for it. */
export interface RequestFeature {
  readonly name: string
  readonly bodies: Bodies
  /** The same without the feature, where that is more than the plainest request. */
  readonly without?: Bodies
  /** Upstreams that have no switch for it and do so, or not, by themselves. */
  readonly byItself?: readonly ProtocolName[]
}

export type Bodies = Readonly<Partial<Record<ProtocolName, JsonObject>>>
