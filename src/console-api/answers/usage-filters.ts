import { firstRequestIdAt } from '../../core/id.ts'
import { Refusal } from '../refusal.ts'

/** What a page of the log is narrowed to; undefined means no restriction. */
export interface UsageFilters {
  readonly keyId: string | undefined
  readonly model: string | undefined
  readonly protocol: string | undefined
  readonly group: string | undefined
  /** A status, or `error` for every request that did not end well. */
  readonly status: number | 'error' | undefined
  /** Request ids from here on; ids sort by time. */
  readonly fromId: string | undefined
  /** Request ids before this one: the end of the time asked for, or the last row of the page before. */
  readonly beforeId: string | undefined
}

const idShape = /^[\w.-]{1,128}$/
const statusShape = /^[1-5]\d\d$/
const timeShape = /^\d{1,14}$/
const nameCharactersMax = 256

export function readUsageFilters(query: URLSearchParams): UsageFilters {
  const endId = idAt(query, 'to')
  const cursor = textOf(query, 'before', idShape, 'is not an id')
  return {
    keyId: textOf(query, 'key', idShape, 'is not an id'),
    model: nameOf(query, 'model'),
    protocol: nameOf(query, 'protocol'),
    group: nameOf(query, 'group'),
    status: statusOf(query),
    fromId: idAt(query, 'from'),
    beforeId: cursor !== undefined && (endId === undefined || cursor < endId) ? cursor : endId,
  }
}

function statusOf(query: URLSearchParams): UsageFilters['status'] {
  const text = query.get('status')
  if (text === null || text === '') return undefined
  if (text === 'error') return 'error'
  if (statusShape.test(text)) return Number(text)
  throw new Refusal('invalid_request', 'status is neither an HTTP status nor the word error.')
}

function idAt(query: URLSearchParams, name: string): string | undefined {
  const text = textOf(query, name, timeShape, 'is not a time in milliseconds since 1970')
  return text === undefined ? undefined : firstRequestIdAt(Number(text))
}

function nameOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (text.length <= nameCharactersMax && !text.includes('\0')) return text
  throw new Refusal('invalid_request', `${name} is no name that the log could have.`)
}

function textOf(
  query: URLSearchParams,
  name: string,
  shape: RegExp,
  complaint: string,
): string | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!shape.test(text)) throw new Refusal('invalid_request', `${name} ${complaint}.`)
  return text
}
