const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export type StopSignal = (typeof signals)[number]

/** How the outside says "stop", and "stop now". */
export interface StopSignals {
  /** Resolves with the first signal. SIGHUP, which a closing terminal sends, counts as SIGTERM. */
  readonly first: Promise<StopSignal>
  /** Whether Ctrl-C was pressed, which skips the wait for load balancers. */
  isInterrupted(): boolean
  /** Whether Ctrl-C was pressed twice. A repeated SIGTERM counts once: supervisors signal whole groups. */
  isInterruptedTwice(): boolean
}

export function watchStopSignals(): StopSignals {
  let interrupts = 0
  const first = new Promise<StopSignal>((resolve) => {
    for (const signal of signals) {
      process.on(signal, () => {
        if (signal === 'SIGINT') interrupts += 1
        resolve(signal)
      })
    }
  })
  return { first, isInterrupted: () => interrupts > 0, isInterruptedTwice: () => interrupts > 1 }
}
