import { RawJson } from '../../wire/exact-json.ts'
import { isObject, parseJson } from '../../wire/json.ts'

/**
 * The arguments of a call as the object that this protocol wants, spelled as the model spelled them. Text that
 * is no object is kept under a name of its own: to make it empty would run the tool with arguments nobody wrote.
 */
export function inputOf(argumentsText: string): { value: unknown; isWrapped: boolean } {
  if (argumentsText.trim() === '') return { value: {}, isWrapped: false }
  if (isObject(parseJson(argumentsText))) {
    return { value: new RawJson(argumentsText), isWrapped: false }
  }
  return { value: { _raw: argumentsText }, isWrapped: true }
}
