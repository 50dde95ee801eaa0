export type SqlValue = string | number | bigint | null

/**
 * One SQL statement of a unit. `when` makes it depend on earlier statements of the same unit: it runs only if each of
 * them did, or did not, change a row. Moving money needs no other branching, so a whole unit can be sent to the
 * database at once.
 */
export interface SqlStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  readonly when?: readonly Condition[]
}

export type Condition = readonly [statement: number, outcome: 'changed' | 'unchanged']
