const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export type StopSignal = (typeof signals)[number]

/** How the outside says "stop", and "stop now". */
export interface StopSignals {
  /** The first of them. SIGHUP, which a closing terminal sends, is the same order as SIGTERM. */
  readonly first: Promise<StopSignal>
  /** Whether a person has pressed Ctrl-C: nobody waits for a load balancer any more. */
  isImpatient(): boolean
  /** Whether a person has pressed Ctrl-C twice. A repeated SIGTERM is one: supervisors signal whole groups. */
  isHurried(): boolean
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
  return { first, isImpatient: () => interrupts > 0, isHurried: () => interrupts > 1 }
}
