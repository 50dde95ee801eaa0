import { z } from 'zod'
import { type Kind, shownOf } from './kind.ts'
import { problemMessage } from './problems.ts'

/** The groups of fields that each role may change, of a resource that the role may see. */
const changes = {
  self: ['self'],
  member: ['member'],
  owner: ['member', 'owner'],
  operator: ['member', 'owner', 'operator'],
} as const

/**
 * The role that may change a field: the user whom the resource describes, a member or an owner of its account, or an
 * operator.
 */
export type Changer = keyof typeof changes

interface FieldOptions {
  /** One line for the command-line help and the API description. */
  readonly about: string
  readonly by: Changer
  /** The name in the file and on the command line, if it differs. Null: the field does not exist there. */
  readonly file?: string | null
  /** The command-line option for one entry of a list. */
  readonly option?: string
  /** Set on creation, and never changed. */
  readonly isFixed?: true
  /** Accepted as input, and never shown. */
  readonly isSecret?: true
  /** No message quotes the value: people put secrets there, although they should not. */
  readonly isUnquoted?: true
  /** `keep`: a file entry without this field leaves the value unchanged instead of resetting it. */
  readonly absent?: 'keep'
  /** The field whose value applies when the file omits this one. */
  readonly sameAs?: string
}

export interface Field<Value, Wire = Value> extends FieldOptions {
  readonly kind: Kind<Value, Wire>
}

/** A field with a default. */
export interface OptionalField<Value, Wire = Value> extends Field<Value, Wire> {
  readonly initial: Value
}

/** A field that may be absent and has no default. */
export interface MaybeField<Value, Wire = Value> extends Field<Value, Wire> {
  readonly isMaybe: true
}

// biome-ignore lint/suspicious/noExplicitAny: the values differ from field to field; the mapped types below know them.
export type AnyField = Field<any, any>
export type Fields = Readonly<Record<string, AnyField>>

export function required<Value, Wire, const Options extends FieldOptions>(
  kind: Kind<Value, Wire>,
  options: Options,
): Field<Value, Wire> & Options {
  return { kind, ...options }
}

export function optional<Value, Wire, const Options extends FieldOptions>(
  kind: Kind<Value, Wire>,
  initial: NoInfer<Value>,
  options: Options,
): OptionalField<Value, Wire> & Options {
  return { kind, initial, ...options }
}

export function maybe<Value, Wire>(
  kind: Kind<Value, Wire>,
  options: FieldOptions,
): MaybeField<Value, Wire> {
  return { kind, isMaybe: true, ...options }
}

/** The same fields without their defaults: an absent one means that nothing is said about it. */
export function maybeAll<Of extends Fields>(
  fields: Of,
): { readonly [Name in keyof Of]: MaybeField<ValueOf<Of[Name]>, WireValueOf<Of[Name]>> } {
  const all = Object.entries(fields).map(([name, field]) => {
    const { initial: _initial, ...rest } = field as OptionalField<unknown>
    return [name, { ...rest, isMaybe: true }]
  })
  return Object.fromEntries(all) as never
}

/** A managed resource: its name and its fields, each defined once. */
export interface Definition<Of extends Fields = Fields> {
  readonly name: string
  readonly fields: Of
}

export function define<const Of extends Fields>(name: string, fields: Of): Definition<Of> {
  return { name, fields }
}

/** A definition with only these fields. */
export function partOf<Of extends Fields, const Name extends keyof Of & string>(
  { name, fields }: Definition<Of>,
  names: readonly Name[],
): Definition<Pick<Of, Name>> {
  const kept = Object.entries(fields).filter(([field]) => names.some((each) => each === field))
  return { name, fields: Object.fromEntries(kept) as unknown as Pick<Of, Name> }
}

/** A definition without these fields. */
export function without<Of extends Fields, const Name extends keyof Of & string>(
  definition: Definition<Of>,
  names: readonly Name[],
): Definition<Pick<Of, Exclude<keyof Of & string, Name>>> {
  const kept = Object.keys(definition.fields).filter((name) => !names.some((each) => each === name))
  return partOf(definition, kept as Exclude<keyof Of & string, Name>[])
}

type NamesFor<Of extends Fields, Who extends Changer> = {
  [Name in keyof Of]: Of[Name] extends { readonly by: (typeof changes)[Who][number] } ? Name : never
}[keyof Of] &
  string

/** A definition with the fields that a role may change. */
export function partFor<Of extends Fields, const Who extends Changer>(
  definition: Definition<Of>,
  who: Who,
): Definition<Pick<Of, NamesFor<Of, Who>>> {
  const allowed: readonly Changer[] = changes[who]
  const names = Object.keys(definition.fields).filter((name) =>
    allowed.some((each) => each === definition.fields[name]?.by),
  )
  return partOf(definition, names as NamesFor<Of, Who>[])
}

type ValueOf<F> = F extends Field<infer Value, infer _> ? Value : never
type WireValueOf<F> = F extends Field<infer _, infer Wire> ? Wire : never
type NamesWith<Of extends Fields, Trait> = {
  [Name in keyof Of]: Of[Name] extends Trait ? Name : never
}[keyof Of]
type SecretNames<Of extends Fields> = NamesWith<Of, { readonly isSecret: true }>
type InitialNames<Of extends Fields> = NamesWith<Of, { readonly initial: unknown }>
type FixedNames<Of extends Fields> = NamesWith<Of, { readonly isFixed: true }>
type MaybeNames<Of extends Fields> = NamesWith<Of, { readonly isMaybe: true }>

type Values<Of extends Fields, Sure extends keyof Of, Unsure extends keyof Of> = {
  readonly [Name in Sure]: ValueOf<Of[Name]>
} & { readonly [Name in Unsure]?: ValueOf<Of[Name]> | undefined }
type Wires<Of extends Fields, Sure extends keyof Of, Unsure extends keyof Of> = {
  readonly [Name in Sure]: WireValueOf<Of[Name]>
} & { readonly [Name in Unsure]?: WireValueOf<Of[Name]> }

/** All fields in the gateway's internal form. */
export type ValuesIn<Of extends Fields> = Values<
  Of,
  Exclude<keyof Of, MaybeNames<Of>>,
  MaybeNames<Of>
>
/** All fields that may be shown, in the form of the APIs. */
export type WireIn<Of extends Fields> = Wires<
  Of,
  Exclude<keyof Of, SecretNames<Of> | MaybeNames<Of>>,
  Exclude<MaybeNames<Of>, SecretNames<Of>>
>
export type ValuesOf<D extends Definition> = ValuesIn<D['fields']>
export type WireOf<D extends Definition> = WireIn<D['fields']>
/** The body of a request that creates a resource: fields with a default may be absent. */
export type NewWireOf<D extends Definition> = Wires<
  D['fields'],
  Exclude<keyof D['fields'], InitialNames<D['fields']> | MaybeNames<D['fields']>>,
  InitialNames<D['fields']> | MaybeNames<D['fields']>
>
/** The body of an edit: absent fields stay unchanged. */
export type EditWireOf<D extends Definition> = Wires<
  D['fields'],
  never,
  Exclude<keyof D['fields'], FixedNames<D['fields']>>
>
/** The values for a new resource, required and optional. */
export type GivenOf<D extends Definition> = Values<
  D['fields'],
  Exclude<keyof D['fields'], InitialNames<D['fields']> | MaybeNames<D['fields']>>,
  InitialNames<D['fields']> | MaybeNames<D['fields']>
>
export type EditOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], FixedNames<D['fields']>>]?: ValueOf<
    D['fields'][Name]
  >
}

/**
 * Adds defaults for absent fields. An absent field with `absent: 'keep'` takes its value from `present`, which is empty
 * for a new resource.
 */
export function complete<D extends Definition>(
  { fields }: D,
  given: GivenOf<D>,
  present: Partial<ValuesOf<D>> = {},
): ValuesOf<D> {
  const givenValues: Readonly<Record<string, unknown>> = given
  const kept: Readonly<Record<string, unknown>> = present
  const values = Object.entries(fields).map(([name, field]) => {
    const fallback = field.absent === 'keep' ? kept[name] : undefined
    const value = givenValues[name] === undefined ? fallback : givenValues[name]
    return [name, value === undefined && 'initial' in field ? field.initial : value]
  })
  return Object.fromEntries(values) as ValuesOf<D>
}

/** Fills absent fields from the field in `sameAs`, in the order of the fields. */
export function fillSame(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = { ...given }
  for (const [name, { sameAs }] of Object.entries(fields)) {
    if (sameAs !== undefined && values[name] === undefined) values[name] = values[sameAs]
  }
  return values
}

function shapeOf(
  fields: Fields,
  of: (field: AnyField, name: string) => z.ZodType | undefined,
): z.ZodRawShape {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(fields)) {
    const schema = of(field, name)
    if (schema) shape[name] = schema.meta({ description: field.about })
  }
  return shape
}

/** An object without other members. The error for an unknown member lists the known ones. */
export function strictly(shape: z.ZodRawShape): z.ZodType<Record<string, unknown>> {
  const words = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? problemMessage('member_unknown', { name: issue.keys[0] ?? '', words })
        : problemMessage('object_wrong'),
  })
}

/** The fields of a request that creates a resource; absent fields get their default. */
export function newShape(fields: Fields): z.ZodRawShape {
  return shapeOf(fields, (field) => {
    const { wire, show } = field.kind
    if ('initial' in field) return wire.prefault(show(field.initial))
    return 'isMaybe' in field ? wire.optional() : wire
  })
}

/** The schema of a request that creates a resource. */
export function newSchema<D extends Definition>({
  fields,
}: D): z.ZodType<ValuesOf<D>, NewWireOf<D>> {
  return strictly(newShape(fields)) as never
}

/** The schema of an edit. */
export function editSchema<D extends Definition>({
  fields,
}: D): z.ZodType<EditOf<D>, EditWireOf<D>> {
  return strictly(
    shapeOf(fields, ({ kind, isFixed }) => (isFixed ? undefined : kind.wire.optional())),
  ) as never
}

/**
 * The complete new state of a resource: absent fields get the default of a new resource, but an absent secret stays
 * unchanged.
 */
export type PutOf<D extends Definition> = Values<
  D['fields'],
  Exclude<keyof D['fields'], SecretNames<D['fields']> | MaybeNames<D['fields']>>,
  SecretNames<D['fields']> | MaybeNames<D['fields']>
>
export type PutWireOf<D extends Definition> = Wires<
  D['fields'],
  Exclude<
    keyof D['fields'],
    InitialNames<D['fields']> | MaybeNames<D['fields']> | SecretNames<D['fields']>
  >,
  InitialNames<D['fields']> | MaybeNames<D['fields']> | SecretNames<D['fields']>
>

/** The schema of a complete new state. */
export function putSchema<D extends Definition>({ fields }: D): z.ZodType<PutOf<D>, PutWireOf<D>> {
  const open = Object.entries(fields).filter(([, field]) => field.isSecret !== true)
  const secret = Object.entries(fields).filter(([, field]) => field.isSecret === true)
  return strictly({
    ...newShape(Object.fromEntries(open)),
    ...shapeOf(Object.fromEntries(secret), ({ kind }) => kind.wire.optional()),
  }) as never
}

type Shown<F> = z.ZodType<WireValueOf<F>, WireValueOf<F>>
type ShownShape<Of extends Fields> = {
  readonly [Name in Exclude<keyof Of, SecretNames<Of> | MaybeNames<Of>>]: Shown<Of[Name]>
} & {
  readonly [Name in Exclude<MaybeNames<Of>, SecretNames<Of>>]: z.ZodExactOptional<Shown<Of[Name]>>
}

/** The fields in API responses, without secrets. */
export function shownShape<Of extends Fields>(fields: Of): ShownShape<Of> {
  return shapeOf(fields, (field) => {
    if (field.isSecret) return undefined
    const shown = shownOf(field.kind)
    return 'isMaybe' in field ? shown.exactOptional() : shown
  }) as unknown as ShownShape<Of>
}

export function toWire<D extends Definition>({ fields }: D, values: ValuesOf<D>): WireOf<D> {
  const given: Readonly<Record<string, unknown>> = values
  const shown = Object.entries(fields).filter(([name, field]) => {
    const isAbsent = 'isMaybe' in field && given[name] === undefined
    return field.isSecret !== true && !isAbsent
  })
  return Object.fromEntries(
    shown.map(([name, { kind }]) => [name, kind.show(given[name])]),
  ) as WireOf<D>
}

/** The body of a request that creates a resource, including secrets. Values that were not given are absent. */
export function newWireOf<D extends Definition>({ fields }: D, given: GivenOf<D>): NewWireOf<D> {
  const values: Readonly<Record<string, unknown>> = given
  const carried = Object.entries(fields).filter(([name]) => values[name] !== undefined)
  return Object.fromEntries(
    carried.map(([name, { kind }]) => [name, kind.show(values[name])]),
  ) as NewWireOf<D>
}

/** The fields as the file writes them, without secrets. Undefined values are omitted. */
export function toWritten<D extends Definition>(
  { fields }: D,
  values: Partial<ValuesOf<D>>,
): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = values
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      const written = writtenName(name, field)
      const isShown = written !== null && field.isSecret !== true && given[name] !== undefined
      return isShown ? [[written, field.kind.write(given[name])]] : []
    }),
  )
}

/** The name of a field in the file and on the command line; null when the field does not exist there. */
export function writtenName(name: string, { file }: AnyField): string | null {
  return file === undefined ? name : file
}

/** The file names of the fields that no message quotes, including fields of nested objects. */
export function unquotedNames(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { kind, isSecret, isUnquoted } = field
    const own = isSecret || isUnquoted ? [writtenName(name, field) ?? name] : []
    return [...own, ...unquotedNames(fieldsInside(kind))]
  })
}

/** The fields of an object, or of the objects in a list. */
function fieldsInside(kind: object): Fields {
  if ('fields' in kind) return kind.fields as Fields
  return 'each' in kind && typeof kind.each === 'object' && kind.each ? fieldsInside(kind.each) : {}
}

/** Whether the file must set a field of a new resource. */
export function isNeeded(field: AnyField): boolean {
  return !('initial' in field || 'isMaybe' in field || field.sameAs !== undefined)
}
