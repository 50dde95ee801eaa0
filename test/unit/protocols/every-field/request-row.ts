import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'

/** One value of a field of the neutral request, and the form that it has in each protocol. */
export interface RequestRow {
  readonly sent: Partial<ModelRequest>
  /** Other fields that the request needs, with and without the field. */
  readonly beside?: Partial<ModelRequest>
  readonly traits?: ModelTraits
  readonly arrives: Readonly<Record<ProtocolName, Arrival | NeverWritten>>
}

/** The gateway rewrites such a request before the protocol's encoder gets it. */
export type NeverWritten = 'never written'

export interface Arrival {
  /** The members of the body that differ from the body without the field. Undefined: the request is refused. */
  readonly body: JsonObject | undefined
  readonly warnings: readonly string[]
  /** The fields that the protocol's own decoder reads from `body`. Absent: the fields that were sent. */
  readonly reads?: Partial<ModelRequest>
  /** The field is not in the schemas of this project: a beta, or a dialect. */
  readonly isBeyondSchema?: boolean
}

export function as(body: JsonObject, reads?: Partial<ModelRequest>): Arrival {
  return { body, warnings: [], ...(reads && { reads }) }
}

/** A field that the protocol can express only in part. */
export function partly(body: JsonObject, warning: string, reads: Partial<ModelRequest>): Arrival {
  return { body, warnings: [warning], reads }
}

export function dropped(warning: string): Arrival {
  return { body: {}, warnings: [warning], reads: {} }
}

/** A field whose value is the default of the protocol, or that the path says. */
export const unsaid: Arrival = { body: {}, warnings: [], reads: {} }

export const refused: Arrival = { body: undefined, warnings: [] }
