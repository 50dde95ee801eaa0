import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { inputList } from './input-list.ts'

/** The input items of a response, newest first: the items stored with the response that it did not write. */
export function encodeInputItems(storedItems: string, responseText: string): JsonObject {
  const response = parseJson(responseText)
  const output = inputList(isObject(response) ? response['output'] : undefined)
  const written = new Set(output.map((item) => item['id']))
  const items = inputList(parseJson(storedItems)).filter((item) => !written.has(item['id']))
  const data = items.reverse()
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: false,
  }
}
