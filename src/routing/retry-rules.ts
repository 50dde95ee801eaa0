/** How often, and how soon, a failed attempt is followed by another. */
export const retryRules = {
  retriesMax: 2,
  /** Retries that a process may make: this part of its requests, and so many a second. */
  budgetShare: 0.1,
  budgetPerSecond: 3,
  /** What is not used is kept up to this many, for the moment at which an upstream falls over. */
  budgetMax: 100,
  backOffMs: 50,
  backOffMsMax: 2_000,
  /** When nobody else is left, an upstream that asks for at most this much patience is asked again; for more, the caller. */
  patienceMsMax: 500,
} as const

/** A time out of the whole range that grows with each retry, so that those who failed together do not return together. */
export function backOffMs(retry: number, random: () => number): number {
  const { backOffMs: base, backOffMsMax } = retryRules
  return random() * Math.min(base * 2 ** retry, backOffMsMax)
}
