import { sql } from 'kysely'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { LeaseOwner } from '../leases/lease-units.ts'
import type { BudgetCounter } from './budget-terms.ts'
import { readSpentNano } from './raise-counter.ts'

/** The state of a counter in the database. */
export interface CounterState {
  readonly counter: BudgetCounter
  readonly availableNano: Nano
  /** Unused money of leases, except those of the process that asks. */
  readonly leasedNano: Nano
}

interface Row {
  readonly id: string
  readonly limit_nano: Nano
  readonly available_nano: Nano
  readonly leased_nano: Nano
  readonly spent_nano: Nano
  readonly counted_for: number | null
}

/** A counter without a row has its whole limit minus the earlier spending: nothing was granted with it yet. */
export async function readCounters(
  engine: Engine,
  counters: readonly BudgetCounter[],
  except?: LeaseOwner,
): Promise<CounterState[]> {
  if (counters.length === 0) return []
  const isCounted = except
    ? sql`NOT (l.replica = ${except.replica} AND l.epoch = ${except.epoch})`
    : sql`TRUE`
  const ids = sql.join(counters.map(({ id }) => id))
  const { rows } =
    await sql<Row>`SELECT c.id, c.limit_nano, c.available_nano, c.spent_nano, c.counted_for,
      CAST(COALESCE((SELECT SUM(l.granted_nano - l.used_nano)
        FROM budget_set s JOIN lease l ON l.budget_set = s.set_id
        WHERE s.counter_id = c.id AND ${isCounted}), 0) AS BIGINT) AS leased_nano
    FROM budget_counter c WHERE c.id IN (${ids})`.execute(engine.db)
  const states: CounterState[] = []
  for (const counter of counters) {
    const row = rows.find(({ id }) => id === counter.id)
    const spentNano = await readSpentNano(engine, counter, row)
    if (!row) {
      states.push({ counter, availableNano: counter.limitNano - spentNano, leasedNano: 0n })
      continue
    }
    // The next grant moves the available amount by the change of the limit, and charges what the counter lacks.
    const lackNano = spentNano - row.spent_nano
    const availableNano = row.available_nano + counter.limitNano - row.limit_nano - lackNano
    states.push({ counter, availableNano, leasedNano: row.leased_nano })
  }
  return states
}
