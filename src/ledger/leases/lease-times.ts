export const leaseTimes = {
  /** A lease that was not renewed for this long admits nothing more. */
  admitMs: 5 * 60_000,
  renewEveryMs: 60_000,
  /** How long a request may run after the last possible admission. After this the lease can be reclaimed. */
  reclaimAfterMs: 45 * 60_000,
  idleMs: 10_000,
  tickMs: 1_000,
  /** How long a request waits for idle money of other processes. */
  recallMs: 2_000,
  recallLookMs: 50,
  recallRestMs: 1_000,
  /** While requests wait for money in flight, other processes are asked again after this. */
  recallAgainMs: 250,
  /** How long a request waits for money held by requests in flight: since money last came back, and in total. */
  inFlightMs: 2_000,
  inFlightMostMs: 10_000,
  /** A request that has got neither money nor a reason after this is refused and asked to retry. */
  waitMsMax: 12_000,
  /** How long a response waits for money that covers its cost above the hold. */
  coverMs: 2_000,
  /** How long a request without money waits until the database knows what was spent. */
  shippedMs: 5_000,
  /** Delay before a failed return of leases is repeated; it doubles with each failure. */
  returnAgainMs: 1_000,
  returnAgainMsMax: 30_000,
  /** Delay before a failed renewal of a lease is repeated. */
  renewAgainMs: 5_000,
}
