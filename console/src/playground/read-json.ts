/** JSON of an unknown shape. */
export type Unknown = Readonly<Record<string, unknown>>

export function asObject(value: unknown): Unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
