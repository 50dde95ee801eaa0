import { conditionData } from '../../../alerts/hook-body.ts'
import {
  type ActiveCondition,
  isAfter,
  placeOf,
  readConditions,
} from '../../../alerts/read-conditions.ts'
import type { Language } from '../../../core/text/language.ts'
import { readDatabaseMs } from '../../../store/rows/database-now.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { ConditionRow, ConditionsAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { needAlert } from './change-alerts.ts'

/** What the number of active conditions counts. */
export async function listConditionRows(
  call: CallOf<'GET /alerts/{id}/conditions'>,
): Promise<JsonAnswer<ConditionsAnswer>> {
  const { engine } = call.deps
  const alert = await needAlert(engine.db, call)
  const { before, limit: rowsMax = pageRows.conditions, language = alert.language } = call.query
  const active = await readConditions(engine.db, alert, await readDatabaseMs(engine))
  const rest = before ? active.filter((each) => isAfter(each, before)) : active
  const { rows, next } = pageOf(rest.slice(0, rowsMax + 1), rowsMax, (last) =>
    writeCursor(last.sinceMs, placeOf(last)),
  )
  return { body: { conditions: rows.map((row) => conditionOf(row, language)), next } }
}

function conditionOf(
  { kind, crossing, sinceMs }: ActiveCondition,
  language: Language,
): ConditionRow {
  return { kind, since: sinceMs, ...conditionData(kind, crossing, language) }
}
