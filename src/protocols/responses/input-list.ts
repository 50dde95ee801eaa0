import { isObject, type JsonObject } from '../../wire/json.ts'

/** The items of an input in any form: a string is a user message. */
export function inputList(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}
