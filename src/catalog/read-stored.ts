import type { Kind } from '../fields/kind.ts'
import type { ObjectKind } from '../fields/object-kind.ts'
import { isObject } from '../wire/json.ts'

/**
 * A value out of a column of JSON, which another version may have written: what this one does not know of an object is
 * left out. Undefined for what is none, or breaks a rule.
 */
export function readStored<Value, Wire>(
  kind: Kind<Value, Wire> | ObjectKind<Value, Wire>,
  value: unknown,
): Value | undefined {
  const reading = kind.wire.safeParse('fields' in kind ? membersOf(kind, value) : value)
  return reading.success ? reading.data : undefined
}

function membersOf<Value, Wire>({ fields }: ObjectKind<Value, Wire>, value: unknown): unknown {
  if (!isObject(value)) return value
  const known = Object.entries(fields).filter(
    ([name, { kind }]) => Object.hasOwn(value, name) && kind.wire.safeParse(value[name]).success,
  )
  return Object.fromEntries(known.map(([name]) => [name, value[name]]))
}
