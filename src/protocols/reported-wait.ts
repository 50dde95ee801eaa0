import { isObject, stringAt } from '../wire/json.ts'

/** The longest wait that is passed on. A longer one is a mistake of the upstream, not a rate limit. */
const waitSecondsMax = 999_999

const secondsOfUnit: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 }

const span = String.raw`(\d+(?:\.\d+)?) ?(milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])`
const eachSpan = new RegExp(span, 'gi')
const wholeDuration = new RegExp(`^(?:${span} ?)+$`, 'i')
const waitPattern = new RegExp(`\\b(?:try again|retry) (?:in|after) ((?:${span} ?)+)`, 'i')

/**
 * The whole seconds after which a rate-limited upstream wants the next request, from the text of its error: "try again
 * in 6m0s", "try again in 644ms", "retry after 20 seconds". Other errors may quote such text from the client's text.
 */
export function readWaitInText(status: number, message: string | undefined): number | undefined {
  if (status !== 429 && status !== 503 && status !== 529) return undefined
  const span = waitPattern.exec(message ?? '')?.[1]
  return span === undefined ? undefined : wholeSeconds(secondsIn(span))
}

/** The same from the details of an error in Google's form: `{ retryDelay: "34.4s" }`. */
export function readWaitInDetails(details: unknown): number | undefined {
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  for (const detail of list) {
    const delay = isObject(detail) ? stringAt(detail, 'retryDelay') : undefined
    if (delay !== undefined && wholeDuration.test(delay)) return wholeSeconds(secondsIn(delay))
  }
  return undefined
}

/** A limit that has been reported holds for at least a second. */
export function wholeSeconds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds)), waitSecondsMax)
}

function secondsIn(text: string): number {
  let seconds = 0
  for (const [, amount, unit = ''] of text.matchAll(eachSpan)) {
    const name = unit.toLowerCase()
    const isMilliseconds = name.startsWith('ms') || name.startsWith('milli')
    seconds += Number(amount) * (isMilliseconds ? 0.001 : (secondsOfUnit[name.charAt(0)] ?? 0))
  }
  return seconds
}
