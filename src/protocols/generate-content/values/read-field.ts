import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'

const snakeNames = new Map<string, string>()

/**
 * A member by its camel-case name. The service also accepts snake case, and clients send both. If both are present,
 * camel case counts. Null is the same as absent.
 */
export function fieldOf(value: JsonObject, name: string): unknown {
  return value[name] ?? value[snakeOf(name)] ?? undefined
}

/** The spelling of the member in this object. */
export function spellingOf(value: JsonObject, name: string): string {
  return (value[name] ?? undefined) === undefined ? snakeOf(name) : name
}

export function objectOf(value: JsonObject, name: string): JsonObject | undefined {
  const field = fieldOf(value, name)
  return isObject(field) ? field : undefined
}

export function textOf(value: JsonObject, name: string): string | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : undefined
}

/** Non-empty text: clients send empty text for an id or a name that they do not have. */
export function nonEmptyTextOf(value: JsonObject, name: string): string | undefined {
  const text = textOf(value, name)
  return text === '' ? undefined : text
}

/** Where the service defines a list, it also accepts a single element. */
export function listOrSingle(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

function snakeOf(name: string): string {
  const known = snakeNames.get(name)
  if (known !== undefined) return known
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  snakeNames.set(name, snake)
  return snake
}

/** A number, which the service also accepts as text. `path` is that of the object that contains it. */
export function readNumber(value: JsonObject, name: string, path: string): number | undefined {
  const field = fieldOf(value, name)
  if (field === undefined) return undefined
  const number = typeof field === 'string' && field.trim() !== '' ? Number(field) : field
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw wrongType(`${path}.${name}`, 'a number')
  }
  return number
}

export function readWhole(value: JsonObject, name: string, path: string): number | undefined {
  const number = readNumber(value, name, path)
  if (number !== undefined && (!Number.isSafeInteger(number) || number < 0)) {
    throw wrongType(`${path}.${name}`, 'a whole number of at least 0')
  }
  return number
}
