import { afterTaking, fullInMs, isWithinRate } from './rate.ts'

/**
 * What every request reads and changes of the counter of an owner. A request has up to six owners, so these numbers are
 * doubles next to one another: they are read with the fewest waits for memory, and without a check of what they are.
 */
export type CounterRow = Float64Array

/** The places of the numbers. */
export const slot = {
  /** The states of the two rates. */
  requestsFullAtMs: 0,
  tokensFullAtMs: 1,
  running: 2,
  /** How much time one takes to come back. Negative: no limit. Infinite: none may be used. */
  requestMs: 3,
  tokenMs: 4,
  tokensMax: 5,
  placesMax: 6,
  /** The states before the last request, to return to if another limit refuses it. */
  requestsBeforeMs: 7,
  tokensBeforeMs: 8,
} as const

/** What this process may use. Null: no limit. */
export interface Parts {
  readonly requestsPart: number | null
  readonly tokensPart: number | null
  readonly placesPart: number | null
  /** How much time one of the part takes to come back. */
  readonly requestMs: number
  readonly tokenMs: number
}

export function newRow(): CounterRow {
  return new Float64Array(Object.keys(slot).length)
}

export function setParts(row: CounterRow, parts: Parts): void {
  const { requestsPart, tokensPart, placesPart } = parts
  row[slot.requestMs] = unitOf(requestsPart, parts.requestMs)
  row[slot.tokenMs] = unitOf(tokensPart, parts.tokenMs)
  row[slot.tokensMax] = tokensPart ?? 0
  row[slot.placesMax] = placesPart ?? Infinity
}

function unitOf(part: number | null, unitMs: number): number {
  if (part === null) return -1
  return part === 0 ? Infinity : unitMs
}

/** Takes a request from all limits, or from none: false if one is reached. */
export function take(rows: readonly CounterRow[], tokens: number, nowMs: number): boolean {
  let taken = 0
  for (const row of rows) {
    const requestMs = row[slot.requestMs] ?? 0
    const tokenMs = row[slot.tokenMs] ?? 0
    const requestsBeforeMs = row[slot.requestsFullAtMs] ?? 0
    const tokensBeforeMs = row[slot.tokensFullAtMs] ?? 0
    const running = (row[slot.running] ?? 0) + 1
    let requestsMs = 0
    let tokensMs = 0
    if (requestMs >= 0) requestsMs = fullInMs(requestsBeforeMs, nowMs) + requestMs
    if (tokenMs >= 0) {
      const estimate = Math.min(tokens, row[slot.tokensMax] ?? 0)
      tokensMs = fullInMs(tokensBeforeMs, nowMs) + estimate * tokenMs
    }
    // With a part of 0, this is not a number or infinite, and neither is within a rate.
    const isAdmitted = isWithinRate(requestsMs) && isWithinRate(tokensMs)
    if (!isAdmitted || running > (row[slot.placesMax] ?? 0)) {
      untake(rows, taken)
      return false
    }
    row[slot.requestsBeforeMs] = requestsBeforeMs
    row[slot.tokensBeforeMs] = tokensBeforeMs
    if (requestMs >= 0) row[slot.requestsFullAtMs] = nowMs + requestsMs
    if (tokenMs >= 0) row[slot.tokensFullAtMs] = nowMs + tokensMs
    row[slot.running] = running
    taken += 1
  }
  return true
}

/** Returns what was just taken from the first limits. */
function untake(rows: readonly CounterRow[], taken: number): void {
  for (const row of rows.slice(0, taken)) {
    row[slot.requestsFullAtMs] = row[slot.requestsBeforeMs] ?? 0
    row[slot.tokensFullAtMs] = row[slot.tokensBeforeMs] ?? 0
    row[slot.running] = (row[slot.running] ?? 0) - 1
  }
}

/** The end of a request, with the true number of its tokens, under the limits under which it was admitted. */
export function finish(
  rows: readonly CounterRow[],
  estimate: number,
  tokens: number,
  nowMs: number,
): void {
  for (const row of rows) {
    const tokenMs = row[slot.tokenMs] ?? 0
    row[slot.running] = (row[slot.running] ?? 0) - 1
    // A part of 0 does not know how long a token takes to come back.
    if (tokenMs < 0 || tokenMs === Infinity) continue
    const moreMs = (tokens - Math.min(estimate, row[slot.tokensMax] ?? 0)) * tokenMs
    const fullAtMs = row[slot.tokensFullAtMs] ?? 0
    row[slot.tokensFullAtMs] = afterTaking(fullAtMs, moreMs, nowMs)
  }
}
