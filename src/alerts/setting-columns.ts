import type { Channel } from '../core/message-state.ts'
import type { Nano } from '../core/money/money.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import {
  asEnum,
  asFlag,
  asIs,
  asList,
  type StoredField,
  type StoredFieldsFor,
} from '../store/rows/stored-fields.ts'
import type { AlertTable } from '../store/tables/alert-tables.ts'
import {
  type AlertKind,
  type AlertValues,
  alertDefinition,
  alertKinds,
} from './definition/alert.ts'

/** In one order, so that the same kinds are the same text. A kind of a later version is not reported. */
const kinds: StoredField<readonly AlertKind[], 'kinds', string> = {
  column: 'kinds',
  write: (value) => JSON.stringify(alertKinds.filter((kind) => value.includes(kind))),
  read: (cell) => {
    const given = readJsonList(cell)
    return alertKinds.filter((kind) => given.includes(kind))
  },
}

const channel: StoredField<Channel, 'channel', string> = {
  column: 'channel',
  write: (word) => word,
  read: (word) => (word === 'webhook' || word === 'slack' ? word : 'email'),
}

/** The column of each setting of an alert. URL and secret are encrypted: see `alert-store.ts`. */
export const settingColumns = {
  accountId: asIs<string | null, 'account_id'>('account_id'),
  name: asIs<string, 'name'>('name'),
  channel,
  emails: asList('emails'),
  kinds,
  creditBelowNano: asIs<Nano, 'credit_below_nano'>('credit_below_nano'),
  keyExpiryDays: asIs<number, 'key_expiry_days'>('key_expiry_days'),
  spendFactor: asIs<number, 'spend_factor'>('spend_factor'),
  spendFloorNano: asIs<Nano, 'spend_floor_nano'>('spend_floor_nano'),
  language: asEnum('language', alertDefinition.fields.language),
  isEnabled: asFlag('enabled'),
} satisfies StoredFieldsFor<Omit<AlertValues, 'url' | 'secret'>, AlertTable>
