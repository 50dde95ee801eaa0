import type { JsonObject } from '../../wire/json.ts'

const bounds = [
  { exclusive: 'exclusiveMinimum', inclusive: 'minimum', step: 1 },
  { exclusive: 'exclusiveMaximum', inclusive: 'maximum', step: -1 },
] as const

/** Converts exclusive bounds to inclusive bounds. The conversion is exact for integers. */
export function inclusiveBounds(schema: JsonObject): JsonObject {
  let changed = schema
  for (const { exclusive, inclusive, step } of bounds) {
    if (changed[exclusive] === undefined) continue
    const { [exclusive]: bound, ...rest } = changed
    const isWhole = schema['type'] === 'integer' && Number.isSafeInteger(bound)
    const value = isWhole ? Number(bound) + step : bound
    // Older schemas have a boolean beside the bound itself.
    const isNew = typeof bound !== 'boolean' && rest[inclusive] === undefined
    changed = isNew ? { ...rest, [inclusive]: value } : rest
  }
  return changed
}
