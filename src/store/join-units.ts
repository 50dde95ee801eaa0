import type { Condition, SqlStatement, Unit } from './engine.ts'

/** Units of one key and account as one: all that they say happens, or none of it. */
export function joinUnits(units: readonly Unit[]): Unit {
  const statements: SqlStatement[] = []
  for (const unit of units) {
    const shift = statements.length
    for (const statement of unit.statements) statements.push(shifted(statement, shift))
  }
  const leaseIds = units.flatMap((unit) => unit.locks?.leaseIds ?? [])
  return { statements, locks: { ...units[0]?.locks, leaseIds } }
}

function shifted(statement: SqlStatement, by: number): SqlStatement {
  if (!statement.when || by === 0) return statement
  return {
    ...statement,
    when: statement.when.map(([at, outcome]): Condition => [at + by, outcome]),
  }
}
