import { RawJson } from '../../wire/exact-json.ts'
import { isObject, parseJson } from '../../wire/json.ts'

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
