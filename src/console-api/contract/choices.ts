import type { TokenPrices } from './models.ts'

/* Choices and other values that the browser needs. This file has no schemas, because the browser loads none. */

/** Sort orders of the key list. */
export const keySorts = ['created', 'name', 'expires', 'id'] as const
/** A personal key belongs to a user, a service key to the account. */
export const keyKinds = ['personal', 'service'] as const
export const sortOrders = ['asc', 'desc'] as const

export const overviewPeriods = ['24h', '7d', '30d', '90d'] as const

export const seriesDimensions = ['model', 'key', 'group', 'protocol', 'account'] as const
/** `minutes` are steps of five minutes. */
export const seriesSteps = ['minutes', 'hour', 'day'] as const

/**
 * GET /usage/export : text/csv as an attachment, newest first, streamed. Amounts are decimal US$, times ISO 8601. The
 * last line is `# incomplete` if the export broke off.
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
  'key_owner',
] as const

/** A price of zero. */
export const freePrice: TokenPrices = {
  inputNano: '0',
  cacheReadNano: '0',
  cacheWrite5mNano: '0',
  cacheWrite1hNano: '0',
  outputNano: '0',
  requestNano: '0',
}

/** Formats of the exported state. */
export const stateFormats = ['json', 'yaml'] as const
export type StateFormat = (typeof stateFormats)[number]
