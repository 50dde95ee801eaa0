import { isObject, parseJson } from '../../../src/wire/json.ts'

/** Arguments by value: none is an empty object, and what is no object is kept as text. */
export function argumentsOf(value: unknown): unknown {
  if (isObject(value)) return value
  if (value === undefined || value === null || value === '') return {}
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  return isObject(parsed) ? parsed : { _raw: value }
}

/** A custom tool's free text, as it stands when the tool was offered as a function. */
export function inputOf(value: unknown): unknown {
  return { input: value }
}
