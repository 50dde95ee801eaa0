import type { Selectable } from 'kysely'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import {
  asEnum,
  asFlag,
  asIs,
  asList,
  columnsOf,
  rowOf,
  type StoredFieldsFor,
  valuesOf,
} from '../store/rows/stored-fields.ts'
import type { RecordingPolicyTable } from '../store/tables/recording-tables.ts'
import {
  type RecordingPolicy,
  type RecordingPolicyEdit,
  recordingPolicyDefinition,
} from './definition/policy.ts'

type Db = Engine['db']

const { scope, readers } = recordingPolicyDefinition.fields
/**
 * The column of each setting. An unknown value, written by a later version, records nothing and lets only owners read.
 */
const settingColumns = {
  scope: asEnum('scope', scope),
  keyIds: asList('key_ids'),
  readers: asEnum('readers', readers),
  isOpenToOperators: asFlag('operators'),
  retentionDays: asIs<number, 'retention_days'>('retention_days'),
} satisfies StoredFieldsFor<RecordingPolicy, Selectable<RecordingPolicyTable>>

const policyByDefault = complete(recordingPolicyDefinition, {})

export interface StoredPolicy extends RecordingPolicy {
  /** The number and size of the account's recordings in the database. */
  readonly storedBytes: number
}

export async function findPolicy(db: Db, accountId: string): Promise<StoredPolicy> {
  const row = await db
    .selectFrom('recording_policy')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!row) return { ...policyByDefault, storedBytes: 0 }
  return { ...valuesOf(settingColumns, row), storedBytes: row.stored_bytes }
}

/** Absent settings stay unchanged. The keys of the account are recorded, or not, from the next request on. */
export async function changePolicy(
  { tx, announce }: Writing,
  accountId: string,
  edit: RecordingPolicyEdit,
): Promise<void> {
  const columns = columnsOf(settingColumns, edit)
  if (Object.keys(columns).length === 0) return
  await tx
    .insertInto('recording_policy')
    .values({ account_id: accountId, ...rowOf(settingColumns, { ...policyByDefault, ...edit }) })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute()
  announce('account', accountId)
}
