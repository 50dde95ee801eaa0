import { setTimeout as pause } from 'node:timers/promises'
import { patience } from './patience.ts'

/** The wait before the next look grows with the wait so far, a tenth of it, within these: a look may be a request. */
const lookMs = { least: 5, most: 50 }
const waitMsMax = patience(15_000)

/**
 * Looks until the answer is neither undefined nor false, and returns it. What must happen soon is waited for
 * like this and never by a fixed pause; what never happens fails with the words of `what`.
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
): Promise<Exclude<Value, undefined | false>> {
  const beganMs = performance.now()
  for (;;) {
    const value = await look()
    if (isThere(value)) return value
    const waitedMs = performance.now() - beganMs
    if (waitedMs > waitMsMax) throw new Error(`it never happened: ${what}`)
    await pause(Math.min(Math.max(waitedMs / 10, lookMs.least), lookMs.most))
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, undefined | false> {
  return value !== undefined && value !== false
}
