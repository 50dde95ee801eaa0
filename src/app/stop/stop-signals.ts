const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export type StopSignal = (typeof signals)[number]

/** The signals to stop, and to stop at once. */
export interface StopSignals<Signal = StopSignal> {
  /** Resolves with the first signal. */
  readonly first: Promise<Signal>
  /** Whether Ctrl-C was pressed, which skips the wait for load balancers. */
  isInterrupted(): boolean
  /** Whether Ctrl-C was pressed twice. A repeated SIGTERM counts once: supervisors signal whole groups. */
  isInterruptedTwice(): boolean
}

export function onProcessSignal(onSignal: (signal: StopSignal) => void): void {
  for (const signal of signals) process.on(signal, () => onSignal(signal))
}

/**
 * The signals of a gateway of one process. SIGHUP asks it to read its secrets again. At a terminal it counts as
 * SIGTERM, because a closing terminal sends it.
 */
export function ownSignals(
  subscribe: (onSignal: (signal: StopSignal) => void) => void,
  isTty: boolean,
): { signals: StopSignals; onReread(listener: () => void): void } {
  let reread = (): void => undefined
  const signals = countSignals<StopSignal>((onSignal) =>
    subscribe((signal) => (signal === 'SIGHUP' && !isTty ? reread() : onSignal(signal))),
  )
  return {
    signals,
    onReread: (listener) => {
      reread = listener
    },
  }
}

/** Counts the signals that `subscribe` reports. */
export function countSignals<Signal extends string>(
  subscribe: (onSignal: (signal: Signal) => void) => void,
): StopSignals<Signal> {
  let interrupts = 0
  const first = Promise.withResolvers<Signal>()
  subscribe((signal) => {
    if (signal === 'SIGINT') interrupts += 1
    first.resolve(signal)
  })
  return {
    first: first.promise,
    isInterrupted: () => interrupts > 0,
    isInterruptedTwice: () => interrupts > 1,
  }
}
