import { isObject, type JsonObject } from '../../wire/json.ts'

/** The items of an input, whatever its form: a string is what the user says. */
export function inputList(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}
