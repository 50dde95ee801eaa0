/** How often and how soon a failed attempt is retried. */
export const retryRules = {
  retriesMax: 2,
  /** The retries that a process may make: this share of its requests, plus this many per second. */
  budgetShare: 0.1,
  budgetPerSecond: 3,
  /** Unused retries accumulate up to this many, for the moment when an upstream fails. */
  budgetMax: 100,
  backOffMs: 50,
  backOffMsMax: 2_000,
  /**
   * When no other candidate is left, an upstream that asks for a wait of at most this long is retried. For a longer
   * wait, the client has to retry.
   */
  waitMsMax: 500,
} as const

/**
 * A random time from a range that grows with each retry, so that requests that failed together do not return together.
 */
export function backOffMs(retry: number, random: () => number): number {
  const { backOffMs: base, backOffMsMax } = retryRules
  return random() * Math.min(base * 2 ** retry, backOffMsMax)
}
