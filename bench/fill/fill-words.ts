import type { Engine } from '../../src/store/engine.ts'

/** The few differences between the SQL of the engines. */
export interface FillWords {
  /** A number as hexadecimal digits of this length. */
  hex(value: string, digits: number): string
  /** Gathers statistics, on the engine that gathers them automatically in normal operation. */
  readonly analyze: readonly string[]
  /**
   * In normal operation sums are inserted in order of time, and stay in this order where the table has no order of its
   * own.
   */
  readonly inOrderOfTime: string
}

const analyzed = [
  'account',
  'api_key',
  'audit',
  'console_user',
  'credit',
  'entry',
  'lease',
  'membership',
  'usage_row',
  'attempt',
  'usage_hour',
  'usage_total',
]

export const fillPlaceholders: Readonly<Record<Engine['kind'], FillWords>> = {
  postgres: {
    hex: (value, digits) => `lpad(to_hex(${value}), ${digits}, '0')`,
    analyze: analyzed.map((table) => `VACUUM ANALYZE ${table}`),
    inOrderOfTime: 'ORDER BY 2, 1',
  },
  sqlite: {
    hex: (value, digits) => `printf('%0${digits}x', ${value})`,
    analyze: [],
    inOrderOfTime: '',
  },
}

/** The integers from `from` up to but not including `to`, as a table with the column `i`. */
export function numbers(from: number, to: number): string {
  return `(WITH RECURSIVE counted(i) AS (
      SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM counted WHERE i < ${to - 1})
    SELECT i FROM counted) AS numbers`
}
