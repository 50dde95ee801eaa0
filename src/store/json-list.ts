import { parseJson } from '../wire/json.ts'

/** Lists stand in the database as JSON text. What is not a list of strings reads as an empty one: fail closed. */
export function readJsonList(json: string): string[] {
  const value = parseJson(json)
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
