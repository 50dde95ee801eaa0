import { isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'

const waitInWords = /try again in ((?:\d+(?:\.\d+)?(?:h|ms|m|s) ?)+)/i
const unitSeconds: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1, ms: 0.001 }

/** The wait that the error itself reports: OpenAI in words, Google in `RetryInfo`, OpenRouter in headers. */
export function retryAfterSeconds(
  error: JsonObject,
  message: string | undefined,
): number | undefined {
  const words = waitInWords.exec(message ?? '')?.[1]
  const told = words === undefined ? retryDelayIn(error) : secondsOf(words)
  return told === undefined ? undefined : Math.ceil(told)
}

function retryDelayIn(error: JsonObject): number | undefined {
  const details: unknown[] = Array.isArray(error['details']) ? error['details'] : []
  for (const detail of details) {
    const delay = isObject(detail) ? stringAt(detail, 'retryDelay') : undefined
    if (delay !== undefined) return secondsOf(delay)
  }
  const headers = objectAt(objectAt(error, 'metadata') ?? {}, 'headers') ?? {}
  const seconds = Number(headers['Retry-After'] ?? headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

function secondsOf(text: string): number | undefined {
  let seconds: number | undefined
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    seconds = (seconds ?? 0) + Number(amount) * (unitSeconds[unit ?? 's'] ?? 1)
  return seconds
}
