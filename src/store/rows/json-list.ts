import { parseJson } from '../../wire/json.ts'

/** Lists are stored as JSON text. A value that is not a list of strings reads as an empty list: fail closed. */
export function readJsonList(json: string): string[] {
  const value = parseJson(json)
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
