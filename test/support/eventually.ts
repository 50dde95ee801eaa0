import { setTimeout as pause } from 'node:timers/promises'
import { patience } from './patience.ts'

/** The pause before the next check is a tenth of the wait so far, within these limits: a check may be a request. */
const lookMs = { least: 5, most: 50 }
const waitMsMax = patience(15_000)

/**
 * Repeats a check until its result is neither undefined nor false, and returns the result. Tests use this instead of
 * fixed pauses. A result that never arrives fails with the text `what`.
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
