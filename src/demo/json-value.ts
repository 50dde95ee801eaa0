import { isObject } from '../wire/json.ts'

/** The first of the names that the value has as its own field; protocols with two spellings name both. */
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

/** Google takes one thing where a list belongs, and there are clients that send it so. */
export function looseListOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null || Array.isArray(value) ? listOf(value) : [value]
}

export function positiveIntegerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
