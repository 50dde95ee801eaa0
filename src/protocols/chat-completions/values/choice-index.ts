import type { JsonObject } from '../../../wire/json.ts'

/** The most answers that a client can request in this protocol. A larger index is an error of the upstream. */
const answersMax = 128

/** The index of the answer that a choice belongs to. */
export function choiceIndex({ index }: JsonObject): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < answersMax
    ? index
    : 0
}
