import { isObject } from '../../wire/json.ts'

/** The first own field of the value with one of these names. */
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

export function positiveIntegerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
