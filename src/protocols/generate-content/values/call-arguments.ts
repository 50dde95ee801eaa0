import { jsonTextOf, RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import { PartialArgs } from './partial-args.ts'
import { fieldOf } from './read-field.ts'

/** The arguments of a `functionCall` as JSON text. A call without arguments has an empty object. */
export function argumentsOf(call: JsonObject): string {
  const given = call['args'] ?? undefined
  if (typeof given === 'string') return given
  if (given !== undefined) return jsonTextOf(given)
  const pieces = new PartialArgs()
  pieces.add(fieldOf(call, 'partialArgs'))
  return pieces.text()
}

/**
 * Arguments as the object that this protocol requires. Arguments that are not an object are kept as they are, never
 * replaced.
 */
export function encodeArguments(
  text: string,
  form: 'function' | 'custom',
): { readonly args: RawJson; readonly isWrapped: boolean } {
  if (form === 'custom') return { args: wrapped('input', text), isWrapped: false }
  if (text.trim() === '') return { args: new RawJson('{}'), isWrapped: false }
  if (isObject(parseJson(text))) return { args: new RawJson(text), isWrapped: false }
  return { args: wrapped('_raw', text), isWrapped: true }
}

function wrapped(name: string, text: string): RawJson {
  return new RawJson(JSON.stringify({ [name]: text }))
}
