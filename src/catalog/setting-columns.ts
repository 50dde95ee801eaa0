import type { Selectable } from 'kysely'
import type { ParameterPolicy } from '../core/upstreams/parameter-policy.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import {
  asEnum,
  asFlag,
  asIs,
  limitColumns,
  type StoredField,
  type StoredFieldsFor,
} from '../store/rows/stored-fields.ts'
import type {
  ModelTable,
  RouteTable,
  ServiceGroupTable,
  UpstreamTable,
} from '../store/tables/tables.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { type Fallbacks, type GroupValues, groupDefinition } from './definition/group.ts'
import type { ModelValues } from './definition/model.ts'
import { policyKind } from './definition/policy.ts'
import type { RouteSettings } from './definition/route.ts'
import type { UpstreamFieldValues, UpstreamOptions } from './definition/upstream.ts'
import { readStored } from './read-stored.ts'
import { decodeOptions, encodeOptions } from './upstream-options.ts'

const { unsupported, unpricedFeatures, sharedObjects, priority } = groupDefinition.fields

/** The column that stores each setting of a group. Grants have their own table. */
export const groupColumns = {
  factor: {
    column: 'factor_micro',
    write: Number,
    read: BigInt,
  } satisfies StoredField<bigint, 'factor_micro', number>,
  unsupported: asEnum('unsupported', unsupported),
  unpricedFeatures: asEnum('unpriced_features', unpricedFeatures),
  sharedObjects: asEnum('shared_objects', sharedObjects),
  priority: asEnum('priority', priority),
  fallbacks: {
    column: 'fallbacks',
    write: (fallbacks: Fallbacks) => JSON.stringify(fallbacks),
    read: readFallbacks,
  } satisfies StoredField<Fallbacks, 'fallbacks', string>,
  ...limitColumns,
} satisfies StoredFieldsFor<Omit<GroupValues, 'id' | 'grants'>, Selectable<ServiceGroupTable>>

function readFallbacks(text: string): Fallbacks {
  const value = parseJson(text)
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([model, list]) => [model, readJsonList(JSON.stringify(list))]),
  )
}

export const modelColumns = {
  displayName: asIs<string, 'display_name'>('display_name'),
  ownedBy: asIs<string, 'owned_by'>('owned_by'),
  contextTokens: asIs<number | null, 'context_tokens'>('context_tokens'),
  maxOutputTokens: asIs<number, 'max_output_tokens'>('max_output_tokens'),
  ...limitColumns,
} satisfies StoredFieldsFor<Omit<ModelValues, 'id'>, ModelTable>

/** An upstream with its final base URL, and with all options in one member. */
type UpstreamInColumns = Omit<
  UpstreamFieldValues,
  'id' | 'proxy' | 'protocol' | 'baseUrl' | keyof UpstreamOptions
> & {
  readonly protocol: string
  readonly baseUrl: string
  readonly options: UpstreamOptions
}

/** The column that stores each setting of an upstream. The proxy is encrypted, and credentials have their own table. */
export const upstreamColumns = {
  vendor: asIs<string, 'vendor'>('vendor'),
  protocol: asIs<string, 'protocol'>('protocol'),
  baseUrl: asIs<string, 'base_url'>('base_url'),
  isEnabled: asFlag('enabled'),
  options: {
    column: 'settings',
    write: encodeOptions,
    read: decodeOptions,
  } satisfies StoredField<UpstreamOptions, 'settings', string>,
} satisfies StoredFieldsFor<UpstreamInColumns, Selectable<UpstreamTable>>

export const routeColumns = {
  group: asIs<string, 'group_id'>('group_id'),
  model: asIs<string, 'model_id'>('model_id'),
  upstream: asIs<string, 'upstream_id'>('upstream_id'),
  upstreamModel: asIs<string, 'upstream_model'>('upstream_model'),
  priority: asIs<number, 'priority'>('priority'),
  weight: asIs<number, 'weight'>('weight'),
  parameters: {
    column: 'parameters',
    write: (policy: ParameterPolicy | null) => (isEmpty(policy) ? null : JSON.stringify(policy)),
    read: (text: string | null) => (text === null ? null : readPolicy(parseJson(text))),
  } satisfies StoredField<ParameterPolicy | null, 'parameters', string | null>,
} satisfies StoredFieldsFor<RouteSettings, RouteTable>

function isEmpty(policy: ParameterPolicy | null): boolean {
  return policy === null || Object.keys(policy).length === 0
}

/**
 * A policy that breaks a rule is ignored: it was checked when it was written, so the row was changed outside the
 * gateway.
 */
function readPolicy(value: unknown): ParameterPolicy | null {
  const policy = readStored(policyKind, value)
  return policy === undefined || isEmpty(policy) ? null : policy
}
