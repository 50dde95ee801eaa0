/** Limits of restarting workers. */
export const restartRules = {
  /** The first wait. Each further one is twice as long. */
  waitMsMin: 250,
  waitMsMax: 10_000,
  /** After a worker has served for this long, its next failure counts as the first one. */
  soundMs: 30_000,
  /** After this many failures in a row the gateway stops, because a restart does not remove their cause. */
  failuresMax: 6,
  /** A reload is abandoned when the new worker does not serve after this time. */
  replaceMs: 120_000,
}

export function waitBefore(failures: number): number {
  const { waitMsMin, waitMsMax } = restartRules
  return Math.min(waitMsMax, waitMsMin * 2 ** Math.max(0, failures - 1))
}
