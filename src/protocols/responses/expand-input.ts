import { Fault } from '../../core/fault.ts'
import { parseExact, writeJson } from '../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { inputList } from './input-list.ts'

/**
 * A request that refers to an earlier response, made to stand on its own: the stored items come first, items
 * that are only referred to are put in their place. Numbers keep their spelling, members their order.
 */
export function expandInput(bodyText: string, storedItems: string): string {
  const body = parseExact(bodyText)
  if (!isObject(body)) return bodyText
  const stored = inputList(parseExact(storedItems))
  const added = inputList(body['input']).map((item, index) => resolve(item, index, stored))
  const { previous_response_id: _reference, ...rest } = body
  return writeJson({ ...rest, input: [...stored, ...added] })
}

function resolve(item: JsonObject, index: number, stored: readonly JsonObject[]): JsonObject {
  const isReference =
    item['type'] === 'item_reference' ||
    ((item['type'] ?? undefined) === undefined && item['role'] === undefined)
  if (!isReference) return item
  const id = stringAt(item, 'id')
  const found = stored.find((each) => id !== undefined && each['id'] === id)
  if (found) return found
  throw new Fault(
    'invalid_request',
    `The item ${JSON.stringify(id ?? null)} is not stored here. Send the item itself.`,
    { param: `input[${index}]` },
  )
}
