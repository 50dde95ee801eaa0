import type { ParameterPolicy } from '../core/parameter-policy.ts'
import { readPolicy } from '../core/read-policy.ts'
import { timeoutsByDefault, type UpstreamTimeouts } from '../core/upstream-timeouts.ts'
import { isObject, type JsonObject, parseJson } from '../wire/json.ts'

/** What is set for an upstream; what is not is at its default. Stands in the database as JSON. */
export interface UpstreamOptions {
  readonly concurrencyMax?: number | undefined
  readonly timeouts?: Partial<UpstreamTimeouts> | undefined
  /** PEM text. */
  readonly ca?: string | undefined
  readonly allowsPrivate?: boolean | undefined
  /** Whether an answer is billed to its end although its connection was closed; undefined: as the vendor does. */
  readonly billsOnAbort?: boolean | undefined
  readonly probe?: { readonly everyMs: number; readonly model?: string | undefined } | undefined
  readonly parameters?: ParameterPolicy | undefined
}

/** Undefined leaves an option as it is, null sets it back to its default. */
export type OptionChanges = {
  readonly [Name in keyof UpstreamOptions]: UpstreamOptions[Name] | null
}

const names = [
  'concurrencyMax',
  'timeouts',
  'ca',
  'allowsPrivate',
  'billsOnAbort',
  'probe',
  'parameters',
] as const satisfies readonly (keyof UpstreamOptions)[]

export function changeOptions(options: UpstreamOptions, changes: OptionChanges): UpstreamOptions {
  const changed: Record<string, unknown> = { ...options }
  for (const name of names) {
    const change = changes[name]
    if (change === null) delete changed[name]
    else if (change !== undefined) changed[name] = change
  }
  return changed
}

/** The same options give the same text. */
export function encodeOptions(options: UpstreamOptions): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, options[name]])))
}

/** What cannot be read is at its default. */
export function decodeOptions(text: string): UpstreamOptions {
  const value = parseJson(text)
  if (!isObject(value)) return {}
  const { ca, allowsPrivate, billsOnAbort } = value
  return {
    concurrencyMax: positive(value['concurrencyMax']),
    timeouts: decodeTimeouts(value['timeouts']),
    ca: typeof ca === 'string' ? ca : undefined,
    allowsPrivate: typeof allowsPrivate === 'boolean' ? allowsPrivate : undefined,
    billsOnAbort: typeof billsOnAbort === 'boolean' ? billsOnAbort : undefined,
    probe: decodeProbe(value['probe']),
    parameters: readPolicy(value['parameters']),
  }
}

function decodeTimeouts(value: unknown): Partial<UpstreamTimeouts> | undefined {
  if (!isObject(value)) return undefined
  const known = Object.keys(timeoutsByDefault).map((name) => [name, positive(value[name])] as const)
  return Object.fromEntries(known.filter(([, ms]) => ms !== undefined))
}

function decodeProbe(value: unknown): UpstreamOptions['probe'] {
  const probe: JsonObject = isObject(value) ? value : {}
  const everyMs = positive(probe['everyMs'])
  const model = probe['model']
  return everyMs === undefined
    ? undefined
    : { everyMs, ...(typeof model === 'string' ? { model } : {}) }
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
