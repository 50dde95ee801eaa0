import { isObject } from '../../wire/json.ts'
import type { Json } from '../contract.ts'

/** A value as JSON; null for a value that JSON cannot represent. */
export function jsonOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(jsonOf)
  return isObject(value) ? jsonMembers(value) : null
}

export function jsonMembers(value: object): { readonly [name: string]: Json } {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonOf(each)]))
}
