import type { UsageSums } from '../../contract.ts'

/** Sums from the database; amounts are bigints, other values numbers. */
export interface SumRow {
  readonly requests: number
  readonly errors: number
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_5m_tokens: number
  readonly cache_write_1h_tokens: number
  readonly output_tokens: number
  readonly reasoning_tokens: number
  readonly cost_nano: bigint
  readonly first_tokens: number
  readonly first_token_ms: number
  readonly total_ms: number
}

export const sumNames = [
  'requests',
  'errors',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'first_tokens',
  'first_token_ms',
  'total_ms',
] as const

const noSums: SumRow = {
  requests: 0,
  errors: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_nano: 0n,
  first_tokens: 0,
  first_token_ms: 0,
  total_ms: 0,
}

export function addSums(rows: Iterable<SumRow>): SumRow {
  const sum = { ...noSums }
  for (const row of rows) {
    for (const name of sumNames) sum[name] += row[name]
    sum.cost_nano += row.cost_nano
  }
  return sum
}

export function subtractSums(whole: SumRow, part: SumRow): SumRow {
  const rest = { ...noSums }
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
