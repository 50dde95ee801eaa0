import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** A feature of a request, as members of the body of each protocol that has the feature. */
export interface RequestFeature {
  readonly name: string
  readonly bodies: Bodies
  /** The same body without the feature; absent if that is the minimal request. */
  readonly without?: Bodies
  /** Upstreams without a field for the feature: the model decides. */
  readonly byItself?: readonly ProtocolName[]
}

export type Bodies = Readonly<Partial<Record<ProtocolName, JsonObject>>>
