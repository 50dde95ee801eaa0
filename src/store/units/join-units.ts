import type { Unit } from '../engine.ts'
import type { Condition, SqlStatement } from './sql-statement.ts'

/** Joins units of one key and account into one, so that all of them take effect or none. */
export function joinUnits(units: readonly Unit[]): Unit {
  const statements: SqlStatement[] = []
  for (const unit of units) {
    const shift = statements.length
    for (const statement of unit.statements) statements.push(shifted(statement, shift))
  }
  const leaseIds = units.flatMap((unit) => unit.locks?.leaseIds ?? [])
  const budgetSets = units.flatMap((unit) => unit.locks?.budgetSets ?? [])
  return { statements, locks: { ...units[0]?.locks, leaseIds, budgetSets } }
}

function shifted(statement: SqlStatement, by: number): SqlStatement {
  if (!statement.when || by === 0) return statement
  return {
    ...statement,
    when: statement.when.map(([at, outcome]): Condition => [at + by, outcome]),
  }
}
