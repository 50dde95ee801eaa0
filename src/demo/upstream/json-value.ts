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

export function textAt(value: unknown, ...names: readonly string[]): string | undefined {
  return textOf(fieldOf(value, ...names))
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  return listOf(fieldOf(value, ...names))
}

export function positiveIntegerAt(value: unknown, ...names: readonly string[]): number | undefined {
  const field = fieldOf(value, ...names)
  return typeof field === 'number' && Number.isSafeInteger(field) && field > 0 ? field : undefined
}
