import type { JsonObject } from '../wire/json.ts'
import { findRef } from './schema-refs.ts'
import { isList, isSchema } from './subschemas.ts'

const depthMax = 8

/**
 * The schema with the branches of its `allOf` written into it, for upstreams that do not know the word. Members
 * and demands add up; of two rules for the same thing the outer one, else the first, is kept.
 */
export function mergeAllOf(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  if (!isList(schema['allOf'])) return schema
  const { allOf, ...own } = schema
  const branches = allOf.filter(isSchema)
  const [only] = branches
  // The usual way to describe a reference: it can stay one.
  if (branches.length === 1 && only?.['$ref'] !== undefined && !hasShape(own)) {
    return { ...own, ...only }
  }
  let merged: JsonObject = own
  for (const branch of branches) {
    if (depth < depthMax)
      merged = merge(merged, mergeAllOf(resolved(branch, root), root, depth + 1))
  }
  return merged
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: ref, ...own } = schema
  const target = typeof ref === 'string' ? findRef(root, ref) : undefined
  return target ? { ...target, ...own } : schema
}

function hasShape(schema: JsonObject): boolean {
  return ['type', 'properties', 'anyOf', 'oneOf', '$ref'].some((name) => schema[name] !== undefined)
}

function merge(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...right, ...left }
  if (isSchema(left['properties']) && isSchema(right['properties'])) {
    merged['properties'] = mergeProperties(left['properties'], right['properties'])
  }
  if (isList(left['required']) && isList(right['required'])) {
    merged['required'] = [...new Set([...left['required'], ...right['required']])]
  }
  return merged
}

function mergeProperties(left: JsonObject, right: JsonObject): JsonObject {
  const merged = new Map(Object.entries(left))
  for (const [name, schema] of Object.entries(right)) {
    const before = merged.get(name)
    merged.set(
      name,
      isSchema(before) && isSchema(schema) ? { ...schema, ...before } : (before ?? schema),
    )
  }
  return Object.fromEntries(merged)
}
