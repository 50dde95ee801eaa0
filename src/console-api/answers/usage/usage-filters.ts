import { firstRequestIdAt } from '../../../core/id.ts'
import { readCursor, readParameter } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
import type { FieldProblem } from '../../refusal-words.ts'
import { nanoProblem } from '../../rules.ts'

/** What the log is narrowed to; undefined means no restriction. */
export interface UsageFilters {
  readonly keyId: string | undefined
  readonly model: string | undefined
  readonly protocol: string | undefined
  readonly group: string | undefined
  /** A status, `error` for every request that did not end well, or `ok` for the others. */
  readonly status: number | 'error' | 'ok' | undefined
  readonly isStream: boolean | undefined
  readonly minCostNano: bigint | undefined
  readonly maxCostNano: bigint | undefined
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** How the request id begins. */
  readonly idStart: string | undefined
  /** Request ids from here on; ids sort by time. */
  readonly fromId: string | undefined
  /** Request ids before this one: the end of the time asked for, or the last row of the page before. */
  readonly beforeId: string | undefined
}

const idShape = /^[\w.:-]{1,128}$/
const idStartShape = /^[0-9a-f-]{1,36}$/i
const statusShape = /^[1-5]\d\d$/
const timeShape = /^\d{1,14}$/
/** The letter after those that an id is made of. */
const pastLastDigit = 'g'

export function readUsageFilters(query: URLSearchParams): UsageFilters {
  const fromMs = timeOf(query, 'from')
  const toMs = timeOf(query, 'to')
  const idStart = shaped(query, 'request', idStartShape, 'id_start_wrong')?.toLowerCase()
  const cursor = readCursor(query, 'before')
  if (cursor !== undefined && !idShape.test(cursor)) throw wrongField('before', 'request_id_wrong')
  const lows = [fromMs === undefined ? undefined : firstRequestIdAt(fromMs), idStart]
  const highs = [
    toMs === undefined ? undefined : firstRequestIdAt(toMs),
    idStart === undefined ? undefined : idStart + pastLastDigit,
    cursor,
  ]
  return {
    keyId: shaped(query, 'key', idShape, 'request_id_wrong'),
    model: readParameter(query, 'model'),
    protocol: readParameter(query, 'protocol'),
    group: readParameter(query, 'group'),
    status: statusOf(query),
    isStream: flagOf(query, 'stream'),
    minCostNano: nanoOf(query, 'minCost'),
    maxCostNano: nanoOf(query, 'maxCost'),
    fromMs,
    toMs,
    idStart,
    fromId: lows
      .filter((id) => id !== undefined)
      .sort()
      .at(-1),
    beforeId: highs.filter((id) => id !== undefined).sort()[0],
  }
}

function statusOf(query: URLSearchParams): UsageFilters['status'] {
  const text = readParameter(query, 'status')
  if (text === undefined || text === 'error' || text === 'ok') return text
  if (statusShape.test(text)) return Number(text)
  throw wrongField('status', 'status_wrong')
}

function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = readParameter(query, name)
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw wrongField(name, 'flag_wrong')
  return text === 'true'
}

function nanoOf(query: URLSearchParams, name: string): bigint | undefined {
  const text = readParameter(query, name)
  if (text === undefined) return undefined
  if (nanoProblem(text)) throw wrongField(name, 'nano_wrong')
  return BigInt(text)
}

function timeOf(query: URLSearchParams, name: string): number | undefined {
  const text = shaped(query, name, timeShape, 'time_wrong')
  return text === undefined ? undefined : Number(text)
}

function shaped(
  query: URLSearchParams,
  name: string,
  shape: RegExp,
  problem: FieldProblem,
): string | undefined {
  const text = readParameter(query, name)
  if (text !== undefined && !shape.test(text)) throw wrongField(name, problem)
  return text
}
