import { nanoOfCost, periodStart } from '../../../src/console-api/contract/figures.ts'
import { protocolNames, type UsageQuery } from '../../../src/console-api/contract.ts'

/** The filter as kept in the URL, so that a link shows the same view. */
export interface UsageSearch {
  account?: string
  key?: string
  /** The id of the user whom the key belongs to. */
  user?: string
  model?: string
  protocol?: string
  group?: string
  status?: string
  stream?: string
  period?: string
  /** Days such as 2026-11-01 for a custom period, inclusive. */
  from?: string
  to?: string
  minCost?: string
  maxCost?: string
  request?: string
  /** The request whose details are open. */
  open?: string
}

/** Undefined members are removed from the URL. */
export type UsageSearchChange = Partial<Record<keyof UsageSearch, string | undefined>>

export const usageSearchNames = [
  'account',
  'key',
  'user',
  'model',
  'protocol',
  'group',
  'status',
  'stream',
  'period',
  'from',
  'to',
  'minCost',
  'maxCost',
  'request',
  'open',
] as const

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const shortStepMs = 300_000

export const periods = ['1h', '24h', '7d', '30d', '90d', 'all', 'custom'] as const
export type UsagePeriod = (typeof periods)[number]
export const defaultPeriod: UsagePeriod = '7d'

const periodMs: Readonly<Partial<Record<UsagePeriod, number>>> = {
  '1h': hourMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
}

export function periodOf(search: UsageSearch): UsagePeriod {
  if (search.from !== undefined || search.to !== undefined) return 'custom'
  return periods.find((each) => each === search.period) ?? defaultPeriod
}

/**
 * The query for the back end. A period starts at a full hour, for which sums exist. The last hour starts at a multiple
 * of five minutes, so that the query stays the same for a while.
 */
export function usageFilter(search: UsageSearch, nowMs: number): UsageQuery {
  const { account, key, user, model, group, status, request } = search
  const protocol = protocolNames.find((each) => each === search.protocol)
  const stream = search.stream === 'true' || search.stream === 'false' ? search.stream : undefined
  const minCost = search.minCost === undefined ? undefined : nanoOfCost(search.minCost)
  const maxCost = search.maxCost === undefined ? undefined : nanoOfCost(search.maxCost)
  const time = request === undefined ? timeOf(search, nowMs) : {}
  return Object.fromEntries(
    Object.entries({
      account,
      key,
      user,
      model,
      protocol,
      group,
      status,
      stream,
      minCost,
      maxCost,
      request,
      ...time,
    }).filter(([, value]) => value !== undefined),
  )
}

function timeOf(search: UsageSearch, nowMs: number): { from?: string; to?: string } {
  const period = periodOf(search)
  if (period === 'custom') {
    const from = startOfDay(search.from)
    const to = startOfDay(search.to)
    return {
      ...(from !== undefined && { from: String(from) }),
      ...(to !== undefined && { to: String(to + dayMs) }),
    }
  }
  const lengthMs = periodMs[period]
  if (lengthMs === undefined) return {}
  if (period !== '1h') return { from: String(periodStart(nowMs, lengthMs)) }
  const start = nowMs - lengthMs
  return { from: String(start - (start % shortStepMs)) }
}

/** In the user's time zone. */
function startOfDay(day: string | undefined): number | undefined {
  if (day === undefined) return undefined
  const at = new Date(`${day}T00:00:00`).getTime()
  return Number.isNaN(at) ? undefined : at
}

/** Filters besides time and account. */
export const narrowingNames = [
  'key',
  'user',
  'model',
  'protocol',
  'group',
  'status',
  'stream',
  'minCost',
  'maxCost',
  'request',
] as const
