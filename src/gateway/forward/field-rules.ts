import type { RequestChange } from '../../core/upstreams/attempt-note.ts'
import {
  type OutputLimitName,
  outputLimitNames,
  type ParameterPolicy,
} from '../../core/upstreams/parameter-policy.ts'

/** The rules of a policy for the fields of one object. */
export interface FieldRules {
  readonly drop: Set<string>
  readonly clamp: Map<string, readonly [number | null, number | null]>
  /** Values are JSON texts. */
  readonly defaults: Map<string, string>
  readonly rename: Map<string, string>
}

export interface SortedPolicy {
  readonly own: FieldRules
  /** The rules for objects inside the body, by the field that contains them. */
  readonly inside: ReadonlyMap<string, FieldRules>
  /** The name to use for the output limit, and the other name that it may arrive under. */
  readonly limit: { readonly wanted: OutputLimitName; readonly other: OutputLimitName } | undefined
  /** Changes to report for each request, whatever the request contains. */
  readonly always: readonly RequestChange[]
}

/** A policy is the same object until the catalogue changes. */
const known = new WeakMap<ParameterPolicy, SortedPolicy>()

export function sortPolicy(policy: ParameterPolicy): SortedPolicy {
  const found = known.get(policy)
  if (found) return found
  const sorted = sort(policy)
  known.set(policy, sorted)
  return sorted
}

function sort(policy: ParameterPolicy): SortedPolicy {
  const own = noRules()
  const inside = new Map<string, FieldRules>()
  const rulesOf = (field: string): { rules: FieldRules; name: string } => {
    const dot = field.indexOf('.')
    if (dot < 0) return { rules: own, name: field }
    const outer = field.slice(0, dot)
    const rules = inside.get(outer) ?? noRules()
    inside.set(outer, rules)
    return { rules, name: field.slice(dot + 1) }
  }
  for (const field of policy.drop ?? []) {
    const { rules, name } = rulesOf(field)
    rules.drop.add(name)
  }
  for (const [field, bounds] of Object.entries(policy.clamp ?? {})) {
    const { rules, name } = rulesOf(field)
    rules.clamp.set(name, bounds)
  }
  for (const [field, value] of Object.entries(policy.default ?? {})) {
    const { rules, name } = rulesOf(field)
    rules.defaults.set(name, JSON.stringify(value) ?? 'null')
  }
  for (const [field, newField] of Object.entries(policy.rename ?? {})) {
    const { rules, name } = rulesOf(field)
    rules.rename.set(name, rulesOf(newField).name)
  }
  const always = Object.keys(policy.headers ?? {}).map(
    (field) => ({ change: 'sent', field }) as const,
  )
  return { own, inside, limit: limitOf(policy.outputLimit), always }
}

function noRules(): FieldRules {
  return { drop: new Set(), clamp: new Map(), defaults: new Map(), rename: new Map() }
}

function limitOf(wanted: OutputLimitName | undefined): SortedPolicy['limit'] {
  const other = outputLimitNames.find((name) => name !== wanted)
  return wanted === undefined || other === undefined ? undefined : { wanted, other }
}
