import { readJsonList } from './json-list.ts'

/** How a field is stored: its column, and how to write and read it. */
export interface Kept<Value, Column extends string, Cell> {
  readonly column: Column
  readonly write: (value: Value) => Cell
  readonly read: (cell: Cell) => Value
}

export function asItIs<Value, const Column extends string>(
  column: Column,
): Kept<Value, Column, Value> {
  return { column, write: (value) => value, read: (cell) => cell }
}

/** The columns of the rate limits. */
export const keptLimits = {
  requestsPerMinute: asItIs<number | null, 'requests_per_minute'>('requests_per_minute'),
  tokensPerMinute: asItIs<number | null, 'tokens_per_minute'>('tokens_per_minute'),
  concurrentRequests: asItIs<number | null, 'concurrent_requests'>('concurrent_requests'),
}

export function asFlag<const Column extends string>(column: Column): Kept<boolean, Column, number> {
  return { column, write: (value) => (value ? 1 : 0), read: (cell) => cell === 1 }
}

/** One of the words of a field. An unknown word, of a later version, reads as the field's default. */
export function asWord<Word extends string, const Column extends string>(
  column: Column,
  field: { readonly kind: { readonly words?: readonly string[] }; readonly initial: Word },
): Kept<Word, Column, string> {
  const words = field.kind.words as readonly Word[] | undefined
  return {
    column,
    write: (value) => value,
    read: (cell) => words?.find((word) => word === cell) ?? field.initial,
  }
}

/** The same for a field that may be null: an unknown word reads as null. */
export function asWordOrNull<Word extends string, const Column extends string>(
  column: Column,
  words: readonly Word[],
): Kept<Word | null, Column, string | null> {
  return {
    column,
    write: (value) => value,
    read: (cell) => words.find((word) => word === cell) ?? null,
  }
}

export function asList<const Column extends string>(
  column: Column,
): Kept<readonly string[], Column, string> {
  return { column, write: (value) => JSON.stringify(value), read: readJsonList }
}

export function asListOrNull<const Column extends string>(
  column: Column,
): Kept<readonly string[] | null, Column, string | null> {
  return {
    column,
    write: (value) => (value === null ? null : JSON.stringify(value)),
    read: (cell) => (cell === null ? null : readJsonList(cell)),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the values differ from field to field; the mapped types below know them.
type AnyKept = Kept<any, string, any>
type KeptFields = Readonly<Record<string, AnyKept>>

/** Every setting needs a column: a setting without one does not compile. */
export type KeptFor<Settings, Table> = {
  readonly [Name in keyof Settings]: {
    [Column in keyof Table & string]: Kept<Settings[Name], Column, Table[Column]>
  }[keyof Table & string]
}

/** The column values of a row. */
export type RowOf<Of extends KeptFields> = {
  [Name in keyof Of as Of[Name]['column']]: Of[Name] extends Kept<infer _, string, infer Cell>
    ? Cell
    : never
}
export type KeptValues<Of extends KeptFields> = {
  readonly [Name in keyof Of]: Of[Name] extends Kept<infer Value, string, infer _> ? Value : never
}

/** All settings of a resource as a row. */
export function rowOf<Of extends KeptFields>(kept: Of, values: KeptValues<Of>): RowOf<Of> {
  const cells = Object.entries(kept).map(([name, { column, write }]): [string, unknown] => [
    column,
    write(values[name]),
  ])
  return Object.fromEntries(cells) as RowOf<Of>
}

/** The columns of the given settings. */
export function columnsOf<Of extends KeptFields>(
  kept: Of,
  values: { readonly [Name in keyof Of]?: KeptValues<Of>[Name] | undefined },
): Partial<RowOf<Of>> {
  const cells = Object.entries(kept).flatMap(([name, { column, write }]) => {
    const value: unknown = values[name]
    return value === undefined ? [] : [[column, write(value)]]
  })
  return Object.fromEntries(cells) as Partial<RowOf<Of>>
}

/** The columns of all settings. */
export function columnNames<Of extends KeptFields>(kept: Of): Of[keyof Of]['column'][] {
  return Object.values(kept).map(({ column }) => column)
}

export function valuesOf<Of extends KeptFields>(kept: Of, row: RowOf<Of>): KeptValues<Of> {
  const values = Object.entries(kept).map(([name, { column, read }]): [string, unknown] => [
    name,
    read(row[column as keyof RowOf<Of>]),
  ])
  return Object.fromEntries(values) as KeptValues<Of>
}

/** Whether a row already has these settings. */
export function isKept<Of extends KeptFields>(
  kept: Of,
  row: RowOf<Of>,
  values: KeptValues<Of>,
): boolean {
  const wanted: Readonly<Record<string, unknown>> = rowOf(kept, values)
  const present: Readonly<Record<string, unknown>> = row
  return Object.keys(wanted).every((column) => wanted[column] === present[column])
}
