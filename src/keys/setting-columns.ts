import type { Selectable } from 'kysely'
import type { Nano } from '../core/money/money.ts'
import { priorities } from '../core/upstreams/priority.ts'
import { periodColumns } from '../store/rows/budget-columns.ts'
import {
  asEnumOrNull,
  asFlag,
  asIs,
  asList,
  asListOrNull,
  limitColumns,
  type StoredField,
  type StoredFieldsFor,
} from '../store/rows/stored-fields.ts'
import type { ApiKeyTable } from '../store/tables/key-tables.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { KeyValues, ModelLimit } from './definition/key.ts'

/** An unreadable list is empty: it was checked when it was written, so the row was changed outside the gateway. */
const modelLimits: StoredField<readonly ModelLimit[], 'model_limits', string | null> = {
  column: 'model_limits',
  // Always in one order, so that equal limits are equal texts.
  write: (limits) => (limits.length === 0 ? null : JSON.stringify(limits.map(inOrder))),
  read: (text) => {
    const value = text === null ? [] : parseJson(text)
    return Array.isArray(value) ? value.flatMap((each) => readModelLimit(each) ?? []) : []
  },
}

function inOrder(limit: ModelLimit): ModelLimit {
  const { model, requestsPerMinute, tokensPerMinute, concurrentRequests } = limit
  return { model, requestsPerMinute, tokensPerMinute, concurrentRequests }
}

function readModelLimit(value: unknown): ModelLimit | undefined {
  if (!isObject(value) || typeof value['model'] !== 'string') return undefined
  const limit = (name: string) => {
    const given = value[name]
    return typeof given === 'number' ? given : null
  }
  return {
    model: value['model'],
    requestsPerMinute: limit('requestsPerMinute'),
    tokensPerMinute: limit('tokensPerMinute'),
    concurrentRequests: limit('concurrentRequests'),
  }
}

/** The column that stores each setting of a key. */
export const settingColumns = {
  accountId: asIs<string, 'account_id'>('account_id'),
  ownerId: asIs<string | null, 'owner_user_id'>('owner_user_id'),
  name: asIs<string, 'name'>('name'),
  groups: asList('groups'),
  models: asListOrNull('models'),
  quotaNano: asIs<Nano | null, 'quota_nano'>('quota_nano'),
  ...periodColumns,
  expiresAt: asIs<number | null, 'expires_at'>('expires_at'),
  addresses: asListOrNull('addresses'),
  ...limitColumns,
  modelLimits,
  priority: asEnumOrNull('priority', priorities),
  isEnabled: asFlag('enabled'),
  isLocked: asFlag('locked'),
} satisfies StoredFieldsFor<KeyValues, Selectable<ApiKeyTable>>
