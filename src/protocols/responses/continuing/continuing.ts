import { parseExact, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import type { Continuing } from '../../protocol.ts'
import { expandInput, referredItems } from './expand-input.ts'
import { inputList, storedInputOf, storedItemsOf } from './stored-items.ts'

export const continuing: Continuing = {
  referredItems,
  expandInput,
  storedInputOf,
  storedItemsOf,
  encodeInputItems,
  compactingBody,
  compactingPath: '/compact',
  replyIdPrefix: 'resp_',
  replyIdIn: (responseText) => /^\{"id":"(resp_[A-Za-z0-9]+)"/.exec(responseText)?.[1],
}

/** The fields that the compaction call accepts. The call rejects all others. */
const taken = [
  'model',
  'instructions',
  'input',
  'previous_response_id',
  'prompt_cache_key',
  'service_tier',
]

/** Makes a compaction body from a generating body that `encodeRequest` wrote. */
function compactingBody(generatingBody: string): string {
  const body = parseExact(generatingBody)
  if (!isObject(body)) return generatingBody
  const kept = taken.filter((name) => body[name] !== undefined)
  return writeJson(Object.fromEntries(kept.map((name) => [name, body[name]])))
}

/** The input items of a response, newest first: the items stored with the response that it did not write. */
function encodeInputItems(storedItems: string, responseText: string): JsonObject {
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
