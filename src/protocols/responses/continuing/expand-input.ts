import { Fault } from '../../../core/fault.ts'
import { parseExact, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { inputList } from './stored-items.ts'

/**
 * Makes a request that refers to an earlier response independent of it: the stored items come first, and references are
 * replaced by their items. Numbers keep their spelling, members their order.
 */
export function expandInput(
  bodyText: string,
  storedItems: string,
  otherLists: readonly string[],
): string {
  const body = parseExact(bodyText)
  if (!isObject(body)) return bodyText
  const stored = inputList(parseExact(storedItems))
  const others = otherLists.flatMap((list) => inputList(parseExact(list)))
  const known = new Map<string, JsonObject>()
  for (const item of [...stored, ...others]) {
    const id = stringAt(item, 'id')
    if (id !== undefined && !known.has(id)) known.set(id, item)
  }
  const added = inputList(body['input']).map((item, index) => resolve(item, index, known))
  const { previous_response_id: _reference, ...rest } = body
  return writeJson({ ...rest, input: [...stored, ...added] })
}

/** The ids of the items that a request refers to without containing them. */
export function referredItems(body: JsonObject): readonly string[] {
  return inputList(body['input']).flatMap((item) =>
    isReference(item) ? (stringAt(item, 'id') ?? []) : [],
  )
}

function isReference(item: JsonObject): boolean {
  if (item['type'] === 'item_reference') return true
  return (item['type'] ?? undefined) === undefined && item['role'] === undefined
}

function resolve(
  item: JsonObject,
  index: number,
  known: ReadonlyMap<string, JsonObject>,
): JsonObject {
  if (!isReference(item)) return item
  const id = stringAt(item, 'id')
  const found = id === undefined ? undefined : known.get(id)
  if (found) return found
  throw new Fault(
    'invalid_request',
    `The item ${JSON.stringify(id ?? null)} is not stored here. Send the item itself.`,
    { param: `input[${index}]` },
  )
}
