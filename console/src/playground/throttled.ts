interface Throttled {
  /** Draws now, or after the pause together with later changes. */
  soon(): void
  /** Draws immediately. */
  now(): void
}

/** Limits how often something is drawn. `rest` calls back when the next drawing may happen. */
export function throttled(draw: () => void, rest: (over: () => void) => void): Throttled {
  let isResting = false
  let isDue = false
  const drawAndRest = () => {
    isDue = false
    isResting = true
    draw()
    rest(() => {
      isResting = false
      if (isDue) drawAndRest()
    })
  }
  return {
    soon: () => {
      if (isResting) isDue = true
      else drawAndRest()
    },
    now: () => {
      isDue = false
      draw()
    },
  }
}
