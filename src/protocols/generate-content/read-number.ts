import type { JsonObject } from '../../wire/json.ts'
import { wrongType } from '../../wire/read-field.ts'
import { fieldOf } from './field-of.ts'

/** A number, which the service also accepts as text. `place` is the path of the object that contains it. */
export function readNumber(value: JsonObject, name: string, place: string): number | undefined {
  const field = fieldOf(value, name)
  if (field === undefined) return undefined
  const number = typeof field === 'string' && field.trim() !== '' ? Number(field) : field
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw wrongType(`${place}.${name}`, 'a number')
  }
  return number
}

export function readWhole(value: JsonObject, name: string, place: string): number | undefined {
  const number = readNumber(value, name, place)
  if (number !== undefined && (!Number.isSafeInteger(number) || number < 0)) {
    throw wrongType(`${place}.${name}`, 'a whole number of at least 0')
  }
  return number
}
