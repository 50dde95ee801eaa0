import type { RandomBytes } from '../../core/id.ts'

/** Random numbers that are the same at every start: a demo that looks different each time is hard to talk about. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  next(): number
  between(low: number, high: number): number
  /** Many small values and a few large ones, like the sizes of real requests. */
  skewed(low: number, high: number): number
  pick<Choice>(weighted: readonly (readonly [Choice, number])[]): Choice
  readonly bytes: RandomBytes
}

export function seededChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => Math.floor(low + next() * (high - low + 1))
  return {
    next,
    between,
    skewed: (low, high) => Math.floor(low + next() ** 3 * (high - low)),
    pick: (weighted) => {
      const whole = weighted.reduce((sum, [, weight]) => sum + weight, 0)
      let left = next() * whole
      for (const [choice, weight] of weighted) {
        left -= weight
        if (left < 0) return choice
      }
      const last = weighted.at(-1)
      if (!last) throw new Error('the list to choose from is empty')
      return last[0]
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => between(0, 255)),
  }
}
