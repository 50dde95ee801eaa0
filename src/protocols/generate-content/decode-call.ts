import { jsonTextOf } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { fieldOf } from './field-of.ts'
import { PartialArgs } from './partial-args.ts'

/** The arguments of a `functionCall` as JSON text. A call without arguments has an empty object. */
export function argumentsOf(call: JsonObject): string {
  const given = call['args'] ?? undefined
  if (typeof given === 'string') return given
  if (given !== undefined) return jsonTextOf(given)
  const pieces = new PartialArgs()
  pieces.add(fieldOf(call, 'partialArgs'))
  return pieces.text()
}
