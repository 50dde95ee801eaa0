import { z } from 'zod'
import { type Kind, shownOf } from './kind.ts'
import { says } from './problems.ts'

/** Whose fields each of them may change, of a thing that they may see: the person it is about, or by their role. */
const changes = {
  self: ['self'],
  member: ['member'],
  owner: ['member', 'owner'],
  operator: ['member', 'owner', 'operator'],
} as const

/** Who may change a field: the person it is about, a member of its account, an owner of it, an operator. */
export type Changer = keyof typeof changes

interface FieldOptions {
  /** One line for the command line's help and the description of the API. */
  readonly about: string
  readonly by: Changer
  /** What it is called in the file and on the command line, where that differs. Null: not there. */
  readonly file?: string | null
  /** What one entry of a list is called on the command line. */
  readonly option?: string
  /** Said when the thing is made, and never changed. */
  readonly isFixed?: true
  /** Read, and never written out again. */
  readonly isSecret?: true
  /** No message repeats its value: people put secrets there, although they should not. */
  readonly isUnquoted?: true
  /** `keep`: an entry of the file that says nothing about it leaves it as it is, instead of setting it back. */
  readonly absent?: 'keep'
  /** The field whose value it has when the file says nothing about it. */
  readonly sameAs?: string
}

export interface Field<Value, Wire = Value> extends FieldOptions {
  readonly kind: Kind<Value, Wire>
}

/** A field with something to assume when nothing is said. */
export interface OptionalField<Value, Wire = Value> extends Field<Value, Wire> {
  readonly initial: Value
}

/** A field that says nothing when it is absent. */
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

/** A kind of thing that people manage: what it is called, and its fields, each once. */
export interface Definition<Of extends Fields = Fields> {
  readonly name: string
  readonly fields: Of
}

export function define<const Of extends Fields>(name: string, fields: Of): Definition<Of> {
  return { name, fields }
}

/** Some fields of a thing. */
export function partOf<Of extends Fields, const Name extends keyof Of & string>(
  { name, fields }: Definition<Of>,
  names: readonly Name[],
): Definition<Pick<Of, Name>> {
  const kept = Object.entries(fields).filter(([field]) => names.some((each) => each === field))
  return { name, fields: Object.fromEntries(kept) as unknown as Pick<Of, Name> }
}

/** All fields of a thing but some. */
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

/** The fields that somebody may change. */
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

/** All fields, as the gateway works with them. */
export type ValuesIn<Of extends Fields> = Values<
  Of,
  Exclude<keyof Of, MaybeNames<Of>>,
  MaybeNames<Of>
>
/** All fields that may be shown, as the APIs carry them. */
export type WireIn<Of extends Fields> = Wires<
  Of,
  Exclude<keyof Of, SecretNames<Of> | MaybeNames<Of>>,
  Exclude<MaybeNames<Of>, SecretNames<Of>>
>
export type ValuesOf<D extends Definition> = ValuesIn<D['fields']>
export type WireOf<D extends Definition> = WireIn<D['fields']>
/** What a request for a new one carries: what has something to assume may be absent. */
export type NewWireOf<D extends Definition> = Wires<
  D['fields'],
  Exclude<keyof D['fields'], InitialNames<D['fields']> | MaybeNames<D['fields']>>,
  InitialNames<D['fields']> | MaybeNames<D['fields']>
>
/** What an edit carries: what is absent stays as it is. */
export type EditWireOf<D extends Definition> = Wires<
  D['fields'],
  never,
  Exclude<keyof D['fields'], FixedNames<D['fields']>>
>
/** What must be said of a new one, and what may be. */
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
 * With what is assumed where nothing is said. What is left as it is when nothing is said is as it is in `present`; of a
 * new thing there is no such.
 */
export function complete<D extends Definition>(
  { fields }: D,
  given: GivenOf<D>,
  present: Partial<ValuesOf<D>> = {},
): ValuesOf<D> {
  const said: Readonly<Record<string, unknown>> = given
  const kept: Readonly<Record<string, unknown>> = present
  const values = Object.entries(fields).map(([name, field]) => {
    const unsaid = field.absent === 'keep' ? kept[name] : undefined
    const value = said[name] === undefined ? unsaid : said[name]
    return [name, value === undefined && 'initial' in field ? field.initial : value]
  })
  return Object.fromEntries(values) as ValuesOf<D>
}

/** With the values of other fields where the file says nothing, in the order of the fields. */
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

/** An object without other members; one that is not known is told with those that are. */
export function strictly(shape: z.ZodRawShape): z.ZodType<Record<string, unknown>> {
  const words = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? says('member_unknown', { name: issue.keys[0] ?? '', words })
        : says('object_wrong'),
  })
}

/** As a request for a new one carries the fields; what is absent is filled in. */
export function newShape(fields: Fields): z.ZodRawShape {
  return shapeOf(fields, (field) => {
    const { wire, show } = field.kind
    if ('initial' in field) return wire.prefault(show(field.initial))
    return 'isMaybe' in field ? wire.optional() : wire
  })
}

/** Reads a request for a new one. */
export function newSchema<D extends Definition>({
  fields,
}: D): z.ZodType<ValuesOf<D>, NewWireOf<D>> {
  return strictly(newShape(fields)) as never
}

/** Reads an edit. */
export function editSchema<D extends Definition>({
  fields,
}: D): z.ZodType<EditOf<D>, EditWireOf<D>> {
  return strictly(
    shapeOf(fields, ({ kind, isFixed }) => (isFixed ? undefined : kind.wire.optional())),
  ) as never
}

/** What a thing is to be, whole: what is absent is as of a new one, but a secret stays as it is. */
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

/** Reads what a thing is to be. */
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

/** The fields as the APIs answer them, beside what else is told of a thing. What is secret is not among them. */
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

/** What a request for a new one carries, secrets too; what was not said is absent. */
export function newWireOf<D extends Definition>({ fields }: D, given: GivenOf<D>): NewWireOf<D> {
  const said: Readonly<Record<string, unknown>> = given
  const carried = Object.entries(fields).filter(([name]) => said[name] !== undefined)
  return Object.fromEntries(
    carried.map(([name, { kind }]) => [name, kind.show(said[name])]),
  ) as NewWireOf<D>
}

/** As the file has it, without secrets. What is undefined is left out. */
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

/** What the file and the command line call a field; null when it is not there. */
export function writtenName(name: string, { file }: AnyField): string | null {
  return file === undefined ? name : file
}

/** What the file calls the fields whose values no message repeats, also those of objects inside. */
export function unquotedNames(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { kind, isSecret, isUnquoted } = field
    const own = isSecret || isUnquoted ? [writtenName(name, field) ?? name] : []
    const inside: Fields = 'fields' in kind ? (kind.fields as Fields) : {}
    return [...own, ...unquotedNames(inside)]
  })
}

/** Whether the file must say something about a field of a new thing. */
export function isNeeded(field: AnyField): boolean {
  return !('initial' in field || 'isMaybe' in field || field.sameAs !== undefined)
}
