import { setTimeout as pause } from 'node:timers/promises'
import { patience } from './patience.ts'

const lookEveryMs = 5
const waitMsMax = patience(15_000)

/**
 * Looks until the answer is neither undefined nor false, and returns it. What must happen soon is waited for
 * like this and never by a fixed pause; what never happens fails with the words of `what`.
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
): Promise<Exclude<Value, undefined | false>> {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const value = await look()
    if (isThere(value)) return value
    if (performance.now() > endMs) throw new Error(`it never happened: ${what}`)
    await pause(lookEveryMs)
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, undefined | false> {
  return value !== undefined && value !== false
}
