import type { JsonObject } from '../wire/json.ts'
import type { SchemaRefs } from './schema-refs.ts'
import { isList, isSchema } from './subschemas.ts'

const depthMax = 16

/**
 * The schema with the branches of its `allOf` written into it, for upstreams that do not know the word. Members
 * and demands add up; of two rules for the same thing the outer one, else the first, is kept.
 */
export function mergeAllOf(schema: JsonObject, refs: SchemaRefs): JsonObject {
  if (!isList(schema['allOf'])) return schema
  const { allOf, ...own } = schema
  const [only, ...others] = isList(allOf) ? allOf.filter(isSchema) : []
  // The usual way to describe a reference: it can stay one.
  if (only?.['$ref'] !== undefined && others.length === 0 && !hasShape(own)) {
    return { ...own, ...only }
  }
  const branches: JsonObject[] = []
  collect(schema, refs, new Set(), branches, 0)
  return merge(branches)
}

/** The schema and, behind it, all that its `allOf` asks for; what a reference points to is taken once. */
function collect(
  schema: JsonObject,
  refs: SchemaRefs,
  seen: Set<string>,
  branches: JsonObject[],
  depth: number,
): void {
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

function merge(branches: readonly JsonObject[]): JsonObject {
  const merged = new Map<string, unknown>()
  const properties = new Map<string, unknown>()
  const required = new Set<unknown>()
  for (const branch of branches) {
    for (const [name, value] of Object.entries(branch)) {
      if (name === 'properties' && isSchema(value)) addProperties(value, properties)
      else if (name === 'required' && isList(value)) for (const each of value) required.add(each)
      else if (!merged.has(name)) merged.set(name, value)
    }
  }
  if (properties.size > 0) merged.set('properties', Object.fromEntries(properties))
  if (required.size > 0) merged.set('required', [...required])
  return Object.fromEntries(merged)
}

function addProperties(added: JsonObject, properties: Map<string, unknown>): void {
  for (const [name, schema] of Object.entries(added)) {
    const before = properties.get(name)
    const isBoth = isSchema(before) && isSchema(schema)
    properties.set(name, isBoth ? { ...schema, ...before } : (before ?? schema))
  }
}
