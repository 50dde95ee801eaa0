import type { Json } from '../../../../src/console-api/contract.ts'

/** One changed field; undefined for a value that was or is absent. */
export interface ChangedField {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Compares two values field by field, including the members of objects. */
export function changedFields(before: Json, after: Json): ChangedField[] {
  const old = flatten(before)
  const now = flatten(after)
  const paths = [...new Set([...old.keys(), ...now.keys()])]
  return paths
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((field) => field.before !== field.after)
}

function flatten(
  value: Json,
  path = '',
  found: Map<string, string> = new Map(),
): Map<string, string> {
  // A value that is not set and a value that is absent look the same to a reader.
  if (value === null) return found
  if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      flatten(member, path === '' ? name : `${path}.${name}`, found)
    }
    return found
  }
  return found.set(path, typeof value === 'string' ? value : JSON.stringify(value))
}
