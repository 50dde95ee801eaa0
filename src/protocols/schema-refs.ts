import type { JsonObject } from '../wire/json.ts'
import { isSchema } from './subschemas.ts'

/** The schema that a `$ref` inside the same document points to; undefined when there is none. */
export function findRef(root: JsonObject, ref: string): JsonObject | undefined {
  if (!ref.startsWith('#')) return undefined
  let at: unknown = root
  for (const step of ref.slice(1).split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined
    const name = decodeStep(step)
    at = Object.hasOwn(at, name) ? new Map(Object.entries(at)).get(name) : undefined
  }
  return isSchema(at) ? at : undefined
}

function decodeStep(step: string): string {
  const pointer = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
