import type { StatementResult } from '../engine.ts'
import type { Condition } from './sql-statement.ts'

/** Whether a statement may run, given the results of the earlier statements of its unit. */
export function isConditionMet(
  conditions: readonly Condition[],
  results: readonly (StatementResult | null)[],
): boolean {
  for (const [index, outcome] of conditions) {
    const changes = results[index]?.changes ?? 0
    if (changes > 0 !== (outcome === 'changed')) return false
  }
  return true
}
