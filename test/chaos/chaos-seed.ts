const multiplier = 0x6d2b79f5

/** The seed of this run. `npm run test:long` sets one; set the same seed to repeat a run. */
export const chaosSeed = Number(process.env['TEST_SEED'] ?? 1)

export type Random = () => number

/** The same seed gives the same numbers. Each part of a run has its own sequence. */
export function seededRandom(part: number): Random {
  let state = (chaosSeed * 1_000 + part) | 0
  return () => {
    state = (state + multiplier) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

export function oneOf<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[between(random, 0, values.length - 1)] ?? values[0]
}
