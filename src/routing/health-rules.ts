/** When an upstream is taken for ill, and for how long. */
export const healthRules = {
  /** So many failures in a row open the breaker. */
  failuresInRow: 5,
  /** So many of them may be of one account: others must have failed, too, before it opens for everybody. */
  failuresOfOne: 3,
  /** Or more than this share of the answers of a window, once there are enough to judge by. */
  windowMs: 30_000,
  windowSlots: 6,
  windowAnswersMin: 20,
  windowFailureShare: 0.5,
  /** Without the account that has failed most in the window, more than that share of at least so many answers. */
  windowOthersMin: 5,
  /** Accounts whose failures are told apart at one model of one upstream. */
  accountsMax: 64,
  /** The n-th time in a row it stays open n times as long. */
  openMs: 30_000,
  openMsMax: 10 * 60_000,
  /** Part of the time that chance takes off or adds, so that processes do not come back in step. */
  openJitter: 0.2,
  /** A request that tries a half-open breaker keeps others away for this long at most. */
  trialMs: 60_000,
  /** A credential that was refused is shown to its upstream again after this, by one request. */
  deadMs: 10 * 60_000,
  /** How long a credential rests after a 429: what it was told, or this, doubled each time in a row. */
  restMs: 1_000,
  restMsMax: 5 * 60_000,
  restGuessMsMax: 30_000,
  /** How much one answer counts in the means of health and of time to the first token. */
  meanShare: 0.1,
  /** An ill upstream keeps this part of its weight, or it could never show that it is well again. */
  wellnessMin: 0.1,
  /** Loads that differ by less than this part are the same. */
  loadTolerance: 0.2,
} as const
