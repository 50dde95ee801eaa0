export const leaseTimes = {
  /** A lease that could not be renewed for this long admits nothing more. */
  admitMs: 5 * 60_000,
  renewEveryMs: 60_000,
  /** After its last possible admission a request may run this long; then the lease belongs to nobody. */
  reclaimAfterMs: 45 * 60_000,
  idleMs: 10_000,
  tickMs: 1_000,
  /** How long a request waits for money that lies idle in other processes. */
  recallMs: 2_000,
  recallLookMs: 50,
  recallRestMs: 1_000,
  /** Those who wait for money under way have others asked again after this. */
  recallAgainMs: 250,
  /** How long a request waits for money that requests under way hold, after some has last come back, and in all. */
  inFlightMs: 2_000,
  inFlightMostMs: 10_000,
  /** A request that has been given neither money nor a reason for so long is told to come back. */
  waitMsMax: 12_000,
  /** How long an answer waits for money for what it has cost beyond its hold. */
  coverMs: 2_000,
  /** How long a request that cannot be paid waits until the database knows what was spent. */
  shippedMs: 5_000,
  /** The wait before leases are brought back again that the database did not take; it doubles with each failure. */
  returnAgainMs: 1_000,
  returnAgainMsMax: 30_000,
  /** A lease whose renewal failed is renewed again after this. */
  renewAgainMs: 5_000,
}
