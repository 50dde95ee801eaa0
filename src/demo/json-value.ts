import { isObject } from '../wire/json.ts'

/** The first own field of the value with one of these names; protocols with two spellings pass both. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  if (!isObject(value)) return undefined
  const found = names.find((name) => Object.hasOwn(value, name) && value[name] !== undefined)
  return found === undefined ? undefined : value[found]
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Google accepts a single value in place of a list, and some clients send one. */
export function looseListOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null || Array.isArray(value) ? listOf(value) : [value]
}

export function positiveIntegerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
