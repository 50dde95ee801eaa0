import { parseExact, writeJson } from '../../wire/exact-json.ts'
import { isObject } from '../../wire/json.ts'

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
export function compactingBody(generatingBody: string): string {
  const body = parseExact(generatingBody)
  if (!isObject(body)) return generatingBody
  const kept = taken.filter((name) => body[name] !== undefined)
  return writeJson(Object.fromEntries(kept.map((name) => [name, body[name]])))
}
