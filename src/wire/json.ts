export type JsonObject = { readonly [name: string]: unknown }

/** The only place that calls JSON.parse. Returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectAt(value: JsonObject, name: string): JsonObject | undefined {
  const field = value[name]
  return isObject(field) ? field : undefined
}

export function stringAt(value: JsonObject, name: string): string | undefined {
  const field = value[name]
  return typeof field === 'string' ? field : undefined
}

/** A count that an upstream reports. Absent, negative, fractional and absurd values are not counts. */
export function countAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' && Number.isSafeInteger(field) && field >= 0 ? field : undefined
}
