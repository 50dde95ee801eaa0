import { Fault } from '../core/fault.ts'
import type { JsonObject } from './json.ts'

/** Reading request fields: absent or null is undefined, the wrong type is a 400 that names the field. */

function readString(value: JsonObject, name: string): string | undefined {
  const field = value[name] ?? undefined
  if (field === undefined) return undefined
  if (typeof field !== 'string') throw wrongType(name, 'a string')
  return field
}

export function readBoolean(value: JsonObject, name: string): boolean | undefined {
  const field = value[name] ?? undefined
  if (field === undefined) return undefined
  if (typeof field !== 'boolean') throw wrongType(name, 'true or false')
  return field
}

export function readCount(value: JsonObject, name: string): number | undefined {
  const field = value[name] ?? undefined
  if (field === undefined) return undefined
  if (typeof field !== 'number' || !Number.isSafeInteger(field) || field < 0) {
    throw wrongType(name, 'a whole number of at least 0')
  }
  return field
}

export function requireModel(value: JsonObject): string {
  const model = readString(value, 'model')
  if (model === undefined || model === '') {
    throw new Fault(
      'invalid_request',
      'The field "model" is required: the exact id of a model, as listed by GET /v1/models.',
      {
        param: 'model',
      },
    )
  }
  return model
}

export function wrongType(name: string, expected: string): Fault {
  return new Fault('invalid_request', `The field "${name}" must be ${expected}.`, { param: name })
}
