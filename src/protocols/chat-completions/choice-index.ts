import type { JsonObject } from '../../wire/json.ts'

/** As many as the protocol lets a client ask for: a larger place is a mistake of the upstream. */
const answersMax = 128

/** Which of several answers a choice belongs to. */
export function choiceIndex({ index }: JsonObject): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < answersMax
    ? index
    : 0
}
