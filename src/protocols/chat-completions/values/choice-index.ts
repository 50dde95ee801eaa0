import type { JsonObject } from '../../../wire/json.ts'
import { answersMax } from './answers-max.ts'

/** The index of the answer that a choice belongs to. An index that no client can request is an error of the upstream. */
export function choiceIndex({ index }: JsonObject): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < answersMax
    ? index
    : 0
}
