import { complete, type GivenOf } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import {
  budgetColumns,
  budgetMarksAfter,
  firstBudgetVersion,
} from '../store/rows/budget-columns.ts'
import { columnsOf, hasValues, rowOf, valuesOf } from '../store/rows/stored-fields.ts'
import { type AccountPatch, accountDefinition } from './definition/account.ts'
import { settingColumns } from './setting-columns.ts'

type NewAccount = GivenOf<typeof accountDefinition>

export async function addAccount(
  { tx, announce }: Writing,
  nowMs: number,
  account: NewAccount,
): Promise<void> {
  const row = rowOf(settingColumns, complete(accountDefinition, account))
  await tx
    .insertInto('account')
    .values({
      ...row,
      available_nano: 0n,
      budget_version: firstBudgetVersion(row),
      created_at: nowMs,
    })
    .execute()
  announce('account', account.id)
}

/** Creates or updates the account. Absent settings stay unchanged. Applying the same settings twice changes nothing. */
export async function putAccount(
  writing: Writing,
  nowMs: number,
  account: NewAccount,
): Promise<'created' | 'changed' | 'same'> {
  const row = await writing.tx
    .selectFrom('account')
    .selectAll()
    .where('id', '=', account.id)
    .executeTakeFirst()
  if (!row) {
    await addAccount(writing, nowMs, account)
    return 'created'
  }
  const settings = complete(accountDefinition, account, valuesOf(settingColumns, row))
  if (hasValues(settingColumns, row, settings)) return 'same'
  const { id, ...edit } = settings
  await changeAccount(writing, id, edit)
  return 'changed'
}

/** Changes the given settings; absent settings stay unchanged. Returns false when the account does not exist. */
export async function changeAccount(
  { tx, announce, nowMs }: Writing,
  id: string,
  edit: AccountPatch,
): Promise<boolean> {
  const columns = columnsOf(settingColumns, edit)
  if (Object.keys(columns).length === 0) return true
  const before = await tx
    .selectFrom('account')
    .select(['total_nano', ...budgetColumns])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!before) return false
  const result = await tx
    .updateTable('account')
    .set({ ...columns, ...budgetMarksAfter(before, columns, nowMs) })
    .where('id', '=', id)
    .executeTakeFirst()
  announce('account', id)
  return result.numUpdatedRows > 0n
}
