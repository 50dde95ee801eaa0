import type { Protocol } from '../../protocols/protocol.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** The ids of the end user that a request names, each once. */
export function endUsersIn(body: JsonObject, { endUserPaths }: Protocol): readonly string[] {
  const found = endUserPaths.flatMap((path) => {
    let value: unknown = body
    for (const name of path) value = isObject(value) ? value[name] : undefined
    return typeof value === 'string' && value !== '' ? [value] : []
  })
  return [...new Set(found)]
}
