import { isObject } from '../wire/json.ts'
import { fieldOf, textOf } from './json-value.ts'
import type { OfferedTool } from './question.ts'

/**
 * The function tool in the object that holds its name and schema, as a list of one; an object without a name gives an
 * empty list.
 */
export function readTool(declared: unknown, ...schemaNames: readonly string[]): OfferedTool[] {
  const name = textOf(fieldOf(declared, 'name'))
  if (name === undefined) return []
  const schema = fieldOf(declared, ...schemaNames)
  const description = textOf(fieldOf(declared, 'description')) ?? ''
  return [{ name, description, schema: isObject(schema) ? schema : {} }]
}
