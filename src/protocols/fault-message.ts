import { isObject, type JsonObject } from '../wire/json.ts'

/** Some endpoints wrap their error in a list, others list several errors. The first error is enough. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}

/** The first non-empty text: servers put their message in different fields. */
export function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

/** The message for an upstream error response that has no message of its own. */
export function messageOfStatus(status: number): string {
  return `The upstream answered with status ${status}.`
}
