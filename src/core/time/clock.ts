/** Time is passed in, so that tests and simulations control it. */
export interface Clock {
  /** Milliseconds since 1970, for records. */
  nowMs(): number
  /** Milliseconds that never go back, for durations. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}
