import type { TokenPrices } from './models.ts'

/* What people choose from, and other values that the browser needs. No schema is here: the browser has none of those. */

/** What keys can be listed by. */
export const keySorts = ['created', 'name', 'expires', 'id'] as const
/** `enabled` can be used, `disabled` is switched off, `expired` has come to its end, `stopped` has lost its owner. */
export const keyStates = ['enabled', 'disabled', 'expired', 'stopped'] as const
export const sortOrders = ['asc', 'desc'] as const

export const overviewPeriods = ['24h', '7d', '30d', '90d'] as const

export const seriesDimensions = ['model', 'key', 'group', 'protocol', 'account'] as const
/** `minutes` are five. */
export const seriesSteps = ['minutes', 'hour', 'day'] as const

/**
 * GET /usage/export : text/csv as an attachment, newest first, sent while it is read. Amounts are in US$ in decimal,
 * times in ISO 8601. The last line is `# incomplete` if it broke off.
 */
export const csvColumns = [
  'request_id',
  'time',
  'account',
  'key_id',
  'key_name',
  'model',
  'protocol',
  'group',
  'stream',
  'status',
  'reason',
  'cost_usd',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'first_token_ms',
  'total_ms',
  'uncovered_usd',
] as const

/** What a price table of nothing looks like. */
export const freePrice: TokenPrices = {
  inputNano: '0',
  cacheReadNano: '0',
  cacheWrite5mNano: '0',
  cacheWrite1hNano: '0',
  outputNano: '0',
  requestNano: '0',
}

/** What an export can be: comma-separated values, or one JSON object a line. */
export const exportFormats = ['csv', 'ndjson'] as const

/** What the state of the gateway can be written as. */
export const stateFormats = ['json', 'yaml'] as const
