import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, parseJson } from '../../../wire/json.ts'

/**
 * The arguments of a call as the object that this protocol requires, in the model's spelling. Text that is not an
 * object is kept under its own name: an empty object would run the tool with arguments that the model did not write.
 */
export function encodeArguments(argumentsText: string): { value: unknown; isWrapped: boolean } {
  if (argumentsText.trim() === '') return { value: {}, isWrapped: false }
  if (isObject(parseJson(argumentsText))) {
    return { value: new RawJson(argumentsText), isWrapped: false }
  }
  return { value: { _raw: argumentsText }, isWrapped: true }
}
