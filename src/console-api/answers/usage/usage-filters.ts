import { firstRequestIdAt } from '../../../core/id.ts'
import { readCursor, readParameter } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
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
  const idStart = shaped(query, 'request', idStartShape, 'is not how an id begins')?.toLowerCase()
  const cursor = readCursor(query, 'before')
  if (cursor !== undefined && !idShape.test(cursor)) throw wrongField('before', 'is not an id')
  const lows = [fromMs === undefined ? undefined : firstRequestIdAt(fromMs), idStart]
  const highs = [
    toMs === undefined ? undefined : firstRequestIdAt(toMs),
    idStart === undefined ? undefined : idStart + pastLastDigit,
    cursor,
  ]
  return {
    keyId: shaped(query, 'key', idShape, 'is not an id'),
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
  throw wrongField('status', 'is neither an HTTP status nor one of the words error and ok')
}

function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = readParameter(query, name)
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw wrongField(name, 'must be true or false')
  return text === 'true'
}

function nanoOf(query: URLSearchParams, name: string): bigint | undefined {
  const text = readParameter(query, name)
  if (text === undefined) return undefined
  if (nanoProblem(text)) throw wrongField(name, 'is not an amount in nano-US-dollars')
  return BigInt(text)
}

function timeOf(query: URLSearchParams, name: string): number | undefined {
  const text = shaped(query, name, timeShape, 'is not a time in milliseconds since 1970')
  return text === undefined ? undefined : Number(text)
}

function shaped(
  query: URLSearchParams,
  name: string,
  shape: RegExp,
  complaint: string,
): string | undefined {
  const text = readParameter(query, name)
  if (text !== undefined && !shape.test(text)) throw wrongField(name, complaint)
  return text
}
