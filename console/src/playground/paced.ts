interface Paced {
  /** Draws now, or with what else comes until the rest after the last picture is over. */
  soon(): void
  /** Draws now, whatever is waiting. */
  now(): void
}

/** For what changes more often than eyes can follow. `rest` calls back when the next picture may be drawn. */
export function paced(draw: () => void, rest: (over: () => void) => void): Paced {
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
