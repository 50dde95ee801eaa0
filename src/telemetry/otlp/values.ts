import { maskSecrets } from '../log.ts'

/* The JSON form of OTLP: 64-bit numbers are text, ids are hexadecimal. */

/** A number is written as an integer if it is one; `double` makes it the same type each time. */
export type AttributeValue =
  | string
  | number
  | boolean
  | { readonly double: number }
  | null
  | undefined
export type Attributes = Readonly<Record<string, AttributeValue>>

/** Longer texts are cut: a queue must not hold any amount of text. */
const textCharactersMax = 1_000

export function shortText(text: string): string {
  return text.length <= textCharactersMax ? text : text.slice(0, textCharactersMax)
}

/** Values that are not known are left out. Text that looks like a secret is masked. */
export function writeAttributes(attributes: Attributes): { key: string; value: object }[] {
  const written: { key: string; value: object }[] = []
  for (const key in attributes) {
    const value = writeValue(attributes[key])
    if (value) written.push({ key, value })
  }
  return written
}

function writeValue(value: AttributeValue): object | undefined {
  switch (typeof value) {
    case 'string':
      return { stringValue: maskSecrets(shortText(value)) }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
    case 'object':
      return value === null ? undefined : { doubleValue: value.double }
    default:
      return undefined
  }
}

/** Milliseconds since 1970 as nanoseconds, exact to the microsecond. */
export function writeTime(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}

/** The attributes that all data of a process has in common. */
export interface OtlpSource {
  readonly resource: Attributes
  readonly version: string
}

export function writeResource({ resource }: OtlpSource): object {
  return { attributes: writeAttributes(resource) }
}

export function writeScope({ version }: OtlpSource): object {
  return { name: 'tollgate', version }
}
