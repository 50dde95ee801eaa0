import type { RandomBytes } from '../../core/id.ts'
import type { Weighted } from './demo-callers.ts'

/** Random numbers that are the same at every start: a demo that looks different each time is hard to talk about. */
export interface SeededRandom {
  /** From 0 up to, but not including, 1. */
  next(): number
  between(low: number, high: number): number
  /** Many small values and a few large ones, like the sizes of real requests. */
  skewed(low: number, high: number): number
  pick(weighted: Weighted): string
  readonly bytes: RandomBytes
}

export function seededRandom(seed: number): SeededRandom {
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
      let left = next() * Object.values(weighted).reduce((sum, weight) => sum + weight, 0)
      let picked = ''
      for (const [choice, weight] of Object.entries(weighted)) {
        picked = choice
        left -= weight
        if (left < 0) break
      }
      return picked
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => between(0, 255)),
  }
}
