import type { Json, ShownParameterPolicy } from '../../../../src/console-api/contract.ts'

type ParameterKind = Exclude<keyof ShownParameterPolicy, 'outputLimit'>

/** Every kind of parameter rule in display order. A missing kind does not compile. */
const kindPlaces: Readonly<Record<ParameterKind, number>> = {
  rename: 0,
  drop: 1,
  clamp: 2,
  default: 3,
  headers: 4,
}
export const parameterKinds = Object.keys(kindPlaces) as ParameterKind[]

/** One line of the editor. `value` and `most` depend on the kind; a removal needs neither. */
export interface ParameterRow {
  readonly kind: ParameterKind
  readonly name: string
  readonly value: string
  readonly most: string
}

export interface Parameters {
  readonly rows: readonly ParameterRow[]
  readonly outputLimit: ShownParameterPolicy['outputLimit']
}

export function rowsOf(policy: ShownParameterPolicy | null): ParameterRow[] {
  const row = (kind: ParameterKind, name: string, value = '', most = ''): ParameterRow => ({
    kind,
    name,
    value,
    most,
  })
  const { rename = {}, drop = [], clamp = {}, default: defaults = {}, headers = {} } = policy ?? {}
  return [
    ...Object.entries(rename).map(([name, value]) => row('rename', name, value)),
    ...drop.map((name) => row('drop', name)),
    ...Object.entries(clamp).map(([name, [least, most]]) =>
      row('clamp', name, textOf(least), textOf(most)),
    ),
    ...Object.entries(defaults).map(([name, value]) => row('default', name, JSON.stringify(value))),
    ...Object.entries(headers).map(([name, value]) => row('headers', name, value)),
  ]
}

/** The policy of the lines. Lines without a name are ignored. Null if nothing is left. */
export function policyOf(
  rows: readonly ParameterRow[],
  outputLimit: ShownParameterPolicy['outputLimit'],
): ShownParameterPolicy | null {
  const named = rows.filter(({ name }) => name.trim() !== '')
  const of = (kind: ParameterKind) => named.filter((row) => row.kind === kind)
  const table = <Value>(kind: ParameterKind, read: (row: ParameterRow) => Value) =>
    Object.fromEntries(of(kind).map((row) => [row.name.trim(), read(row)]))
  const some = <Part extends object>(part: Part) =>
    Object.values(part).some((each) => Object.keys(each as object).length > 0) ? part : {}
  const policy: ShownParameterPolicy = {
    ...some({ rename: table('rename', ({ value }) => value.trim()) }),
    ...some({ drop: of('drop').map(({ name }) => name.trim()) }),
    ...some({ clamp: table('clamp', ({ value, most }) => [edgeOf(value), edgeOf(most)] as const) }),
    ...some({ default: table('default', ({ value }) => jsonOf(value)) }),
    ...some({ headers: table('headers', ({ value }) => value) }),
    ...(outputLimit !== undefined && { outputLimit }),
  }
  return Object.keys(policy).length === 0 ? null : policy
}

const textOf = (edge: number | null) => (edge === null ? '' : String(edge))

function edgeOf(text: string): number | null {
  const edge = Number(text)
  return text.trim() === '' || Number.isNaN(edge) ? null : edge
}

/** Parsed as JSON if possible, so that numbers and lists can be entered; otherwise plain text. */
function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
