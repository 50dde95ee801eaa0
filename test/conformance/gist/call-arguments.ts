import { isObject, parseJson } from '../../../src/wire/json.ts'

/** Arguments by value: absent arguments are an empty object, and arguments that are not an object stay text. */
export function argumentsOf(value: unknown): unknown {
  if (isObject(value)) return value
  if (value === undefined || value === null || value === '') return {}
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  return isObject(parsed) ? parsed : { _raw: value }
}

/** The free text of a custom tool, in the form of a tool that was offered as a function. */
export function inputOf(value: unknown): unknown {
  return { input: value }
}
