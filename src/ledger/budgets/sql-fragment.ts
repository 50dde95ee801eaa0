import { type RawBuilder, sql } from 'kysely'
import type { SqlValue } from '../../store/units/sql-statement.ts'

/** An expression with its values, for both statements as text and queries. */
export interface SqlFragment {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export function rawOf({ sql: text, values }: SqlFragment): RawBuilder<unknown> {
  const [first = '', ...rest] = text.split('?')
  return rest.reduce(
    (all, piece, index) => sql`${all}${values[index]}${sql.raw(piece)}`,
    sql`${sql.raw(first)}`,
  )
}
