import { isObject, type JsonObject } from '../wire/json.ts'

/** Some endpoints wrap their error in a list, others list what is wrong: the first one tells enough. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}

/** The first of several places in which a server may have put its words. */
export function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

/** What stands for the words of an upstream that has answered without any. */
export function wordlessAnswer(status: number): string {
  return `The upstream answered with status ${status}.`
}
