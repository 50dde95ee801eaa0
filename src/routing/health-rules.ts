/** When a target counts as unhealthy, and for how long. */
export const healthRules = {
  /** This many failures in a row open the breaker. */
  failuresInRow: 5,
  /** At most this many of them count for one account: others must fail too before the breaker opens for everyone. */
  failuresOfOne: 3,
  /** The breaker also opens when more than this share of a window's answers failed, once there are enough answers. */
  windowMs: 30_000,
  windowSlots: 6,
  windowAnswersMin: 20,
  windowFailureShare: 0.5,
  /** The share must also be exceeded without the account with the most failures, among at least this many answers. */
  windowOthersMin: 5,
  /** The number of accounts whose failures are counted separately at one target. */
  accountsMax: 64,
  /** After the n-th opening in a row the breaker stays open n times as long. */
  openMs: 30_000,
  openMsMax: 10 * 60_000,
  /** The share of the time that is randomly added or subtracted, so that processes do not return in step. */
  openJitter: 0.2,
  /** A request that tests a half-open breaker blocks others for this long at most. */
  trialMs: 60_000,
  /** After this time one request tests a rejected credential again. */
  rejectedMs: 10 * 60_000,
  /**
   * How long a credential is rate-limited after a 429: the time that the upstream gave, or this time, doubled for each
   * 429 in a row.
   */
  cooldownMs: 1_000,
  cooldownMsMax: 5 * 60_000,
  guessedCooldownMsMax: 30_000,
  /** The weight of one answer in the moving averages of health and of time to first token. */
  meanShare: 0.1,
  /** An unhealthy target keeps this share of its weight; otherwise it could never show that it has recovered. */
  healthScoreMin: 0.1,
  /** Loads that differ by less than this share count as equal. */
  loadTolerance: 0.2,
} as const
