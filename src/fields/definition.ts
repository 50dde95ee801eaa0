import { z } from 'zod'
import type { Kind } from './kind.ts'
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
}

export interface Field<Value, Wire = Value> extends FieldOptions {
  readonly kind: Kind<Value, Wire>
}

/** A field with something to assume when nothing is said. */
export interface OptionalField<Value, Wire = Value> extends Field<Value, Wire> {
  readonly initial: Value
}

// biome-ignore lint/suspicious/noExplicitAny: the values differ from field to field; the mapped types below know them.
type AnyField = Field<any, any>
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
type SecretNames<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends { readonly isSecret: true } ? Name : never
}[keyof Of]
type InitialNames<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends { readonly initial: unknown } ? Name : never
}[keyof Of]
type FixedNames<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends { readonly isFixed: true } ? Name : never
}[keyof Of]

/** All fields, as the gateway works with them. */
export type ValuesOf<D extends Definition> = {
  readonly [Name in keyof D['fields']]: ValueOf<D['fields'][Name]>
}
/** All fields that may be shown, as the APIs carry them. */
export type WireOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], SecretNames<D['fields']>>]: WireValueOf<
    D['fields'][Name]
  >
}
/** What a request for a new one carries: what has something to assume may be absent. */
export type NewWireOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], InitialNames<D['fields']>>]: WireValueOf<
    D['fields'][Name]
  >
} & {
  readonly [Name in InitialNames<D['fields']>]?: WireValueOf<D['fields'][Name]>
}
/** What an edit carries: what is absent stays as it is. */
export type EditWireOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], FixedNames<D['fields']>>]?: WireValueOf<
    D['fields'][Name]
  >
}
/** What must be said of a new one, and what may be. */
export type GivenOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], InitialNames<D['fields']>>]: ValueOf<
    D['fields'][Name]
  >
} & { readonly [Name in InitialNames<D['fields']>]?: ValueOf<D['fields'][Name]> | undefined }
export type EditOf<D extends Definition> = {
  readonly [Name in Exclude<keyof D['fields'], FixedNames<D['fields']>>]?: ValueOf<
    D['fields'][Name]
  >
}

/** With what is assumed where nothing is said. */
export function complete<D extends Definition>({ fields }: D, given: GivenOf<D>): ValuesOf<D> {
  const said: Readonly<Record<string, unknown>> = given
  const values = Object.entries(fields).map(([name, field]) => [
    name,
    said[name] === undefined && 'initial' in field ? field.initial : said[name],
  ])
  return Object.fromEntries(values) as ValuesOf<D>
}

function shapeOf(
  { fields }: Definition,
  of: (field: AnyField, name: string) => z.ZodType | undefined,
): z.ZodRawShape {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(fields)) {
    const schema = of(field, name)
    if (schema) shape[name] = schema.meta({ description: field.about })
  }
  return shape
}

const objectError = { error: says('object_wrong') }

/** Reads a request for a new one; what is absent is filled in. */
export function newSchema<D extends Definition>(
  definition: D,
): z.ZodType<ValuesOf<D>, NewWireOf<D>> {
  const shape = shapeOf(definition, (field) =>
    'initial' in field ? field.kind.wire.prefault(field.kind.show(field.initial)) : field.kind.wire,
  )
  return z.strictObject(shape, objectError) as never
}

/** Reads an edit. */
export function editSchema<D extends Definition>(
  definition: D,
): z.ZodType<EditOf<D>, EditWireOf<D>> {
  const shape = shapeOf(definition, ({ kind, isFixed }) =>
    isFixed ? undefined : kind.wire.optional(),
  )
  return z.strictObject(shape, objectError) as never
}

export function toWire<D extends Definition>({ fields }: D, values: ValuesOf<D>): WireOf<D> {
  const given: Readonly<Record<string, unknown>> = values
  const shown = Object.entries(fields).filter(([, { isSecret }]) => !isSecret)
  return Object.fromEntries(
    shown.map(([name, { kind }]) => [name, kind.show(given[name])]),
  ) as WireOf<D>
}

/** What the file and the command line call a field; null when it is not there. */
export function writtenName(name: string, { file }: AnyField): string | null {
  return file === undefined ? name : file
}
