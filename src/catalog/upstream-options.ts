import type { AnyField } from '../fields/definition.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { optionFields, type UpstreamOptions } from './definition/upstream.ts'
import { readStored } from './read-stored.ts'

/* The database stores the options of an upstream as JSON, in the format of the APIs. */

const options: readonly (readonly [string, AnyField & { readonly initial: unknown }])[] =
  Object.entries(optionFields)

/** Writes only options that differ from their default. Equal options give equal text. */
export function encodeOptions(values: UpstreamOptions): string {
  const given: Readonly<Record<string, unknown>> = values
  const set = options.flatMap(([name, { kind, initial }]) => {
    const value: unknown = kind.show(given[name])
    return isSame(value, kind.show(initial)) ? [] : [[name, value]]
  })
  return JSON.stringify(Object.fromEntries(set))
}

/** An empty policy changes nothing, so it equals no policy. */
function isSame(value: unknown, initial: unknown): boolean {
  const isNothing = initial === null && isObject(value) && Object.keys(value).length === 0
  return isNothing || JSON.stringify(value) === JSON.stringify(initial)
}

/** Unreadable options get their default. */
export function decodeOptions(text: string): UpstreamOptions {
  const value = parseJson(text)
  const stored = isObject(value) ? value : {}
  const read: Record<string, unknown> = {}
  for (const [name, { kind, initial }] of options) {
    read[name] = readStored<unknown, unknown>(kind, stored[name]) ?? initial
  }
  return read as UpstreamOptions
}
