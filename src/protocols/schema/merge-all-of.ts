import type { JsonObject } from '../../wire/json.ts'
import type { SchemaRefs } from './schema-refs.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, isSchema } from './subschemas.ts'

const depthMax = 16

export interface MergedSchema {
  readonly merged: JsonObject
  /** The references that were resolved on the path to the merged schema. */
  readonly path: readonly string[]
}

/**
 * Merges the branches of `allOf` into the schema, for upstreams that do not know the keyword. Members and required
 * names add up. Of two rules for the same keyword, the outer one is kept, else the first. A reference that is already
 * on the path is recursive and is dropped.
 */
export function mergeAllOf(
  schema: JsonObject,
  refs: SchemaRefs,
  path: readonly string[],
): MergedSchema {
  if (!isList(schema['allOf'])) return { merged: schema, path }
  const { allOf, ...own } = schema
  const [only, ...others] = isList(allOf) ? allOf.filter(isSchema) : []
  // This is the usual way to describe a reference, so the reference can stay.
  if (only?.['$ref'] !== undefined && others.length === 0 && !hasShape(own)) {
    return { merged: { ...own, ...only }, path }
  }
  const branches: JsonObject[] = []
  const seen = new Set(path)
  collect(schema, refs, seen, branches, 0)
  return {
    merged: merge(branches, refs.work),
    path: seen.size > path.length ? [...seen] : path,
  }
}

/** The schema, then everything that its `allOf` requires. The target of a reference is included once. */
function collect(
  schema: JsonObject,
  refs: SchemaRefs,
  seen: Set<string>,
  branches: JsonObject[],
  depth: number,
): void {
  refs.work.spend(1 + Object.keys(schema).length)
  const { allOf, ...own } = schema
  const { $ref: ref, ...rest } = own
  const isBranch = depth > 0 && typeof ref === 'string'
  branches.push(isBranch ? rest : own)
  if (depth >= depthMax) return
  if (isBranch && !seen.has(ref)) {
    seen.add(ref)
    const target = refs.find(ref)
    if (target) collect(target, refs, seen, branches, depth + 1)
  }
  for (const branch of isList(allOf) ? allOf : []) {
    if (isSchema(branch)) collect(branch, refs, seen, branches, depth + 1)
  }
}

function hasShape(schema: JsonObject): boolean {
  return ['type', 'properties', 'anyOf', 'oneOf', '$ref'].some((name) => schema[name] !== undefined)
}

function merge(branches: readonly JsonObject[], work: SchemaWork): JsonObject {
  const merged = new Map<string, unknown>()
  const properties = new Map<string, unknown>()
  const required = new Set<unknown>()
  for (const branch of branches) {
    for (const [name, value] of Object.entries(branch)) {
      if (name === 'properties' && isSchema(value)) addProperties(value, properties, work)
      else if (name === 'required' && isList(value)) for (const each of value) required.add(each)
      else if (!merged.has(name)) merged.set(name, value)
    }
  }
  if (properties.size > 0) merged.set('properties', Object.fromEntries(properties))
  if (required.size > 0) merged.set('required', [...required])
  return Object.fromEntries(merged)
}

function addProperties(
  added: JsonObject,
  properties: Map<string, unknown>,
  work: SchemaWork,
): void {
  for (const [name, schema] of Object.entries(added)) {
    const before = properties.get(name)
    const isBoth = isSchema(before) && isSchema(schema)
    // Every branch may add to the same member, and each addition copies the member.
    if (isBoth) work.spend(Object.keys(before).length)
    properties.set(name, isBoth ? { ...schema, ...before } : (before ?? schema))
  }
}
