/** How the outside says "stop", and "stop now". */
export interface StopSignals {
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly first: Promise<void>
  /** Whether a person has pressed Ctrl-C twice. A repeated SIGTERM is one: supervisors signal whole groups. */
  isHurried(): boolean
}

export function watchStopSignals(): StopSignals {
  let interrupts = 0
  const first = new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => {
      interrupts += 1
      resolve()
    })
  })
  return { first, isHurried: () => interrupts > 1 }
}
