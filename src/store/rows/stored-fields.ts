import { readJsonList } from './json-list.ts'

/** How a field is stored: its column, and how to write and read it. */
export interface StoredField<Value, Column extends string, Cell> {
  readonly column: Column
  readonly write: (value: Value) => Cell
  readonly read: (cell: Cell) => Value
}

export function asIs<Value, const Column extends string>(
  column: Column,
): StoredField<Value, Column, Value> {
  return { column, write: (value) => value, read: (cell) => cell }
}

/** The columns of the rate limits. */
export const limitColumns = {
  requestsPerMinute: asIs<number | null, 'requests_per_minute'>('requests_per_minute'),
  tokensPerMinute: asIs<number | null, 'tokens_per_minute'>('tokens_per_minute'),
  concurrentRequests: asIs<number | null, 'concurrent_requests'>('concurrent_requests'),
}

export function asFlag<const Column extends string>(
  column: Column,
): StoredField<boolean, Column, number> {
  return { column, write: (value) => (value ? 1 : 0), read: (cell) => cell === 1 }
}

/** One of the fixed values of a field. An unknown value, written by a later version, reads as the field's default. */
export function asEnum<Choice extends string, const Column extends string>(
  column: Column,
  field: { readonly kind: { readonly choices?: readonly string[] }; readonly initial: Choice },
): StoredField<Choice, Column, string> {
  const choices = field.kind.choices as readonly Choice[] | undefined
  return {
    column,
    write: (value) => value,
    read: (cell) => choices?.find((choice) => choice === cell) ?? field.initial,
  }
}

/** The same for a field that may be null: an unknown value reads as null. */
export function asEnumOrNull<Choice extends string, const Column extends string>(
  column: Column,
  choices: readonly Choice[],
): StoredField<Choice | null, Column, string | null> {
  return {
    column,
    write: (value) => value,
    read: (cell) => choices.find((choice) => choice === cell) ?? null,
  }
}

export function asList<const Column extends string>(
  column: Column,
): StoredField<readonly string[], Column, string> {
  return { column, write: (value) => JSON.stringify(value), read: readJsonList }
}

export function asListOrNull<const Column extends string>(
  column: Column,
): StoredField<readonly string[] | null, Column, string | null> {
  return {
    column,
    write: (value) => (value === null ? null : JSON.stringify(value)),
    read: (cell) => (cell === null ? null : readJsonList(cell)),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the values differ from field to field; the mapped types below know them.
type AnyStoredField = StoredField<any, string, any>
type StoredFields = Readonly<Record<string, AnyStoredField>>

/** Every setting needs a column: a setting without one does not compile. */
export type StoredFieldsFor<Settings, Table> = {
  readonly [Name in keyof Settings]: {
    [Column in keyof Table & string]: StoredField<Settings[Name], Column, Table[Column]>
  }[keyof Table & string]
}

/** The column values of a row. */
export type RowOf<Of extends StoredFields> = {
  [Name in keyof Of as Of[Name]['column']]: Of[Name] extends StoredField<
    infer _,
    string,
    infer Cell
  >
    ? Cell
    : never
}
export type StoredValues<Of extends StoredFields> = {
  readonly [Name in keyof Of]: Of[Name] extends StoredField<infer Value, string, infer _>
    ? Value
    : never
}

/** All settings of a resource as a row. */
export function rowOf<Of extends StoredFields>(fields: Of, values: StoredValues<Of>): RowOf<Of> {
  const cells = Object.entries(fields).map(([name, { column, write }]): [string, unknown] => [
    column,
    write(values[name]),
  ])
  return Object.fromEntries(cells) as RowOf<Of>
}

/** The columns of the given settings. */
export function columnsOf<Of extends StoredFields>(
  fields: Of,
  values: { readonly [Name in keyof Of]?: StoredValues<Of>[Name] | undefined },
): Partial<RowOf<Of>> {
  const cells = Object.entries(fields).flatMap(([name, { column, write }]) => {
    const value: unknown = values[name]
    return value === undefined ? [] : [[column, write(value)]]
  })
  return Object.fromEntries(cells) as Partial<RowOf<Of>>
}

/** The columns of all settings. */
export function columnNames<Of extends StoredFields>(fields: Of): Of[keyof Of]['column'][] {
  return Object.values(fields).map(({ column }) => column)
}

export function valuesOf<Of extends StoredFields>(fields: Of, row: RowOf<Of>): StoredValues<Of> {
  const values = Object.entries(fields).map(([name, { column, read }]): [string, unknown] => [
    name,
    read(row[column as keyof RowOf<Of>]),
  ])
  return Object.fromEntries(values) as StoredValues<Of>
}

/** Whether a row already has these settings. */
export function hasValues<Of extends StoredFields>(
  fields: Of,
  row: RowOf<Of>,
  values: StoredValues<Of>,
): boolean {
  const wanted: Readonly<Record<string, unknown>> = rowOf(fields, values)
  const present: Readonly<Record<string, unknown>> = row
  return Object.keys(wanted).every((column) => wanted[column] === present[column])
}
