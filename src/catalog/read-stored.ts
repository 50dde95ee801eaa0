import type { Kind } from '../fields/kind.ts'
import type { ObjectKind } from '../fields/object-kind.ts'
import { isObject } from '../wire/json.ts'

/**
 * Reads a value of a JSON column, which another version may have written. Unknown members of an object are dropped.
 * Returns undefined for an invalid value.
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
