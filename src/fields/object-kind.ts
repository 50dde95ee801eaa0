import { z } from 'zod'
import {
  type AnyField,
  type Fields,
  fillSame,
  isNeeded,
  newShape,
  shownShape,
  strictly,
  type ValuesIn,
  type WireIn,
  writtenName,
} from './definition.ts'
import { type Kind, type ListKind, shownOf } from './kind.ts'
import { withLazy } from './lazy.ts'
import { outsideSchema, problemMessage, type ValueProblem } from './problems.ts'

/** An object with its fields. */
export interface ObjectKind<Value, Wire = Value> extends Kind<Value, Wire> {
  readonly fields: Fields
}

/** A nested object of a resource. */
export function objectKind<const Of extends Fields>(
  fields: Of,
): ObjectKind<ValuesIn<Of>, WireIn<Of>> {
  const object: Pick<
    ObjectKind<ValuesIn<Of>, WireIn<Of>>,
    'entry' | 'fields' | 'show' | 'write'
  > = {
    entry: 'object',
    fields,
    show: (values) =>
      membersOf(fields, values, (name, { kind }, value) => [name, kind.show(value)]),
    write: (values) =>
      membersOf(fields, values, (name, field, value) => {
        const written = writtenName(name, field)
        return written === null ? undefined : [written, field.kind.write(value)]
      }),
  }
  return withLazy(object, {
    wire: () => strictly(newShape(fields)) as never,
    shown: () => z.strictObject(shownShape(fields)) as never,
    written: () => writtenObject(fields) as never,
  })
}

/** Converts each field that has a value with `of`. */
function membersOf<Made>(
  fields: Fields,
  values: object,
  of: (name: string, field: AnyField, value: unknown) => readonly [string, unknown] | undefined,
): Made {
  const given: Readonly<Record<string, unknown>> = { ...values }
  const members = Object.entries(fields).flatMap(([name, field]) => {
    const member = given[name] === undefined ? undefined : of(name, field, given[name])
    return member ? [member] : []
  })
  return Object.fromEntries(members) as Made
}

/** The object with the field names of the file. */
function writtenObject(fields: Fields): z.ZodType {
  const shape: Record<string, z.ZodType> = {}
  const names = new Map<string, string>()
  for (const [name, field] of Object.entries(fields)) {
    const written = writtenName(name, field)
    if (written === null) continue
    names.set(written, name)
    shape[written] = isNeeded(field) ? field.kind.written : field.kind.written.optional()
  }
  return z.codec(strictly(shape), z.custom<Record<string, unknown>>(), {
    decode: (given) => {
      const named: Record<string, unknown> = {}
      for (const [written, value] of Object.entries(given)) {
        named[names.get(written) ?? written] = value
      }
      return { ...initialsOf(fields), ...fillSame(fields, named) }
    },
    encode: (values) =>
      Object.fromEntries(
        [...names].flatMap(([written, name]) =>
          values[name] === undefined ? [] : [[written, values[name]]],
        ),
      ),
  })
}

function initialsOf(fields: Fields): Record<string, unknown> {
  const known = Object.entries(fields).flatMap(([name, field]) =>
    'initial' in field ? [[name, field.initial] as const] : [],
  )
  return Object.fromEntries(known)
}

/** A list of objects with distinct values of `key`. */
export function rowsOf<Value extends object, Wire>(
  each: Kind<Value, Wire>,
  {
    max,
    key,
    wrong = 'list_wrong',
    many,
    twice,
  }: {
    max: number
    key: keyof Value
    wrong?: ValueProblem
    many: ValueProblem
    twice: ValueProblem
  },
): ListKind<Value, Wire> {
  const list = <Of extends z.ZodType<Value>>(of: Of) =>
    z
      .array(of, { error: problemMessage(wrong) })
      .max(max, { error: problemMessage(many, { max }) })
      .refine((rows) => new Set(rows.map((row) => row[key])).size === rows.length, {
        error: problemMessage(twice),
        params: outsideSchema,
      })
      .meta({ uniqueItems: true })
  const rows = {
    entry: 'object',
    each,
    show: (values: readonly Value[]) => values.map(each.show),
    write: (values: readonly Value[]) => values.map(each.write),
  }
  return withLazy(rows, {
    wire: () => list(each.wire),
    written: () => list(each.written),
    shown: () => z.array(shownOf(each)).readonly(),
  }) as never
}

/** In the file, a single member can replace the whole object. */
export function shortBy<Value, Wire>(kind: Kind<Value, Wire>, member: string): Kind<Value, Wire> {
  return withLazy(kind, {
    written: () =>
      z.codec(z.unknown(), kind.written, {
        decode: (given) => (typeof given === 'string' ? { [member]: given } : given),
        encode: (given) => given,
      }),
  })
}
