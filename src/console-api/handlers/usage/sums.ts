import { sums } from '../../../usage/usage-hour-sql.ts'
import type { UsageSums } from '../../contract.ts'

type CountName = Exclude<(typeof sums)[number], 'cost_nano'>

/** Sums from the database. */
export interface SumRow extends Readonly<Record<CountName, number>> {
  readonly cost_nano: bigint
}

/** All sums except the cost, which is a bigint. */
export const sumNames = sums.filter((name): name is CountName => name !== 'cost_nano')

function emptySums(): { -readonly [Name in keyof SumRow]: SumRow[Name] } {
  const counts = Object.fromEntries(sumNames.map((name) => [name, 0])) as Record<CountName, number>
  return { ...counts, cost_nano: 0n }
}

export function addSums(rows: Iterable<SumRow>): SumRow {
  const sum = emptySums()
  for (const row of rows) {
    for (const name of sumNames) sum[name] += row[name]
    sum.cost_nano += row.cost_nano
  }
  return sum
}

export function subtractSums(whole: SumRow, part: SumRow): SumRow {
  const rest = emptySums()
  for (const name of sumNames) rest[name] = whole[name] - part[name]
  rest.cost_nano = whole.cost_nano - part.cost_nano
  return rest
}

export function tokensOf(row: SumRow): number {
  return (
    row.input_tokens +
    row.cache_read_tokens +
    row.cache_write_5m_tokens +
    row.cache_write_1h_tokens +
    row.output_tokens
  )
}

export function meanFirstTokenMs(row: SumRow): number | null {
  return row.first_tokens === 0 ? null : Math.round(row.first_token_ms / row.first_tokens)
}

export function describeSums(row: SumRow): UsageSums {
  return {
    requests: row.requests,
    errors: row.errors,
    tokens: {
      input: row.input_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite5m: row.cache_write_5m_tokens,
      cacheWrite1h: row.cache_write_1h_tokens,
      output: row.output_tokens,
      reasoning: row.reasoning_tokens,
    },
    costNano: String(row.cost_nano),
    firstTokenMs: meanFirstTokenMs(row),
    totalMs: row.requests === 0 ? null : Math.round(row.total_ms / row.requests),
  }
}
