import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'

/** Reads a field that may be deep in a request: absent or null is undefined, a wrong type is a 400. */

export function readText(value: JsonObject, name: string, path: string): string | undefined {
  const field = value[name] ?? undefined
  if (field === undefined || typeof field === 'string') return field
  throw wrongType(path + name, 'a string')
}

export function requireText(value: JsonObject, name: string, path: string): string {
  const text = readText(value, name, path)
  if (text === undefined) throw wrongType(path + name, 'a string')
  return text
}

export function readNumber(value: JsonObject, name: string): number | undefined {
  const field = value[name] ?? undefined
  if (field === undefined || typeof field === 'number') return field
  throw wrongType(name, 'a number')
}

export function readObject(value: JsonObject, name: string, path: string): JsonObject | undefined {
  const field = value[name] ?? undefined
  if (field === undefined || isObject(field)) return field
  throw wrongType(path + name, 'an object')
}

export function requireObject(value: JsonObject, name: string, path: string): JsonObject {
  const field = readObject(value, name, path)
  if (field === undefined) throw wrongType(path + name, 'an object')
  return field
}

/** A list of objects. An item that is not an object is reported with its index. */
export function readObjects(value: JsonObject, name: string, path: string): JsonObject[] {
  const field = value[name] ?? []
  if (!Array.isArray(field)) throw wrongType(path + name, 'a list')
  return field.map((each: unknown, index) => {
    if (!isObject(each)) throw wrongType(`${path}${name}[${index}]`, 'an object')
    return each
  })
}
