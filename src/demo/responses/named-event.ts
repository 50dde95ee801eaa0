import type { JsonObject } from '../../wire/json.ts'

/** A responses event before it gets its sequence number. */
export interface NamedEvent {
  readonly type: string
  readonly fields: JsonObject
  readonly isWord?: boolean
}
