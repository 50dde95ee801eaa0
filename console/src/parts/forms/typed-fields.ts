import type { Definition, Fields } from '../../../../src/fields/definition.ts'
import { type FoundProblem, problemOf } from '../../../../src/fields/find-problem.ts'

type AnyField = Fields[string]

/** The value of an editor: a switch, a list, or text. Empty text means not set. */
export type Typed = string | boolean | readonly string[]
export type TypedFields = Readonly<Record<string, Typed>>

/** Fields of a definition for which a form has no editor of its own, in order. */
export function otherFields(
  { fields }: Definition,
  own: readonly string[],
): readonly (readonly [string, AnyField])[] {
  return Object.entries(fields).filter(
    ([name, { isFixed, isSecret }]) => !own.includes(name) && !isFixed && !isSecret,
  )
}

/** Initial values of the editors: those of the row, or the defaults of a new one. */
export function typedOf(
  definition: Definition,
  own: readonly string[],
  row: Readonly<Record<string, unknown>> | undefined,
): TypedFields {
  return Object.fromEntries(
    otherFields(definition, own).map(([name, field]) => [name, typedValue(field, row?.[name])]),
  )
}

function typedValue({ kind, ...field }: AnyField, wire: unknown): Typed {
  const initial: unknown = 'initial' in field ? field.initial : undefined
  const reading = kind.wire.safeParse(wire)
  // A stored value that the current rules do not allow is shown unchanged, and refused only when it is saved.
  if (wire !== undefined && !reading.success) {
    if (Array.isArray(wire)) return wire.map(String)
    return typeof wire === 'string' ? wire : JSON.stringify(wire)
  }
  const value: unknown = wire === undefined ? initial : reading.data
  if (kind.entry === 'flag') return value === true
  if (value === undefined || value === null) return kind.entry === 'list' ? [] : ''
  const written = kind.write(value)
  if (kind.entry === 'list') return Array.isArray(written) ? written.map(String) : []
  return typeof written === 'string' ? written : JSON.stringify(written)
}

/** The value to send for a field, or its problem. */
export function wireOfTyped(
  { kind }: AnyField,
  typed: Typed,
): { readonly value: unknown } | { readonly wrong: FoundProblem } {
  const isNothing = typed === '' || (Array.isArray(typed) && typed.length === 0)
  if (isNothing && kind.wire.safeParse(null).success) return { value: null }
  const reading = kind.written.safeParse(
    kind.entry === 'number' && typed !== '' ? Number(typed) : typed,
  )
  if (reading.success) return { value: kind.show(reading.data) }
  const [issue] = reading.error.issues
  return { wrong: issue ? problemOf(issue) : { path: [], problem: 'value_wrong', values: {} } }
}

/** All fields as they are sent. Call it only if no field has a problem. */
export function wireOfFields(
  definition: Definition,
  own: readonly string[],
  typed: TypedFields,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    otherFields(definition, own).flatMap(([name, field]) => {
      const read = wireOfTyped(field, typed[name] ?? '')
      return 'value' in read ? [[name, read.value]] : []
    }),
  )
}
