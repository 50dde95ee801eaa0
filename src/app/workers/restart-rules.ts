/** Limits of restarting workers. */
export const restartRules = {
  /** The first wait. Each further one is twice as long. */
  waitMsMin: 250,
  waitMsMax: 10_000,
  /** A worker that has served this long is sound: the next failure is counted as the first one. */
  soundMs: 30_000,
  /** After so many failures in a row the gateway stops: something is wrong that a restart does not repair. */
  failuresMax: 6,
  /** A reload is abandoned when the new worker does not serve after this time. */
  replaceMs: 120_000,
}

export function waitBefore(failures: number): number {
  const { waitMsMin, waitMsMax } = restartRules
  return Math.min(waitMsMax, waitMsMin * 2 ** Math.max(0, failures - 1))
}
