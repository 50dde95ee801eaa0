import { type Selectable, sql } from 'kysely'
import { largerOf, type Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { BudgetCounterTable } from '../../store/tables/budget-tables.ts'
import type { SqlStatement } from '../../store/units/sql-statement.ts'
import { type SpendingPeriod, spendingIn } from './spending-in.ts'
import { rawOf } from './sql-fragment.ts'

/** The part of everything spent in the period that the counter lacks. */
const lacking =
  'CASE WHEN late.nano > budget_counter.spent_nano THEN late.nano - budget_counter.spent_nano ELSE 0 END'

/**
 * Raises a counter to everything that its owner has spent in the period. With the time at which the limits were set:
 * only if the counter has not been raised for this setting. A counter never decreases: the log may have been shortened.
 * So a repetition changes nothing. Postgres may read the sum before another transaction raises the same counter, so the
 * sum is compared with the row that is updated.
 */
export function raiseCounter(
  counter: SpendingPeriod,
  setAtMs: number | null,
): Omit<SqlStatement, 'when'> {
  const spent = spendingIn(counter)
  const [isDue, mark, due] =
    setAtMs === null
      ? ['', '', []]
      : ['AND COALESCE(c.counted_for, -1) <> ?', ', counted_for = ?', [setAtMs]]
  return {
    sql: `UPDATE budget_counter SET spent_nano = budget_counter.spent_nano + ${lacking},
        available_nano = budget_counter.available_nano - ${lacking},
        earlier_nano = budget_counter.earlier_nano + ${lacking} ${mark}
      FROM (SELECT c.id, ${spent.sql} AS nano FROM budget_counter c WHERE c.id = ? ${isDue}) AS late
      WHERE budget_counter.id = late.id`,
    values: [...due, ...spent.values, counter.id, ...due],
  }
}

/** The spending of a counter, with what the next grant adds if the limits were set again, or creates the counter with. */
export async function readSpentNano(
  { db }: Pick<Engine, 'db'>,
  counter: SpendingPeriod & { readonly countedForMs: number | null },
  row: Pick<Selectable<BudgetCounterTable>, 'spent_nano' | 'counted_for'> | undefined,
): Promise<Nano> {
  const presentNano = row?.spent_nano ?? 0n
  const { countedForMs } = counter
  if (countedForMs === null || row?.counted_for === countedForMs) return presentNano
  const query = sql<{ spent_nano: Nano }>`SELECT ${rawOf(spendingIn(counter))} AS spent_nano`
  const { rows } = await query.execute(db)
  return largerOf(rows[0]?.spent_nano ?? 0n, presentNano)
}
