/**
 * Limits of the outgoing side. Every wait and every buffer has one. How long an upstream may take for its answer is
 * its own setting; how often it is tried stands in `src/routing/retry-rules.ts`.
 */
export const limits = {
  /** How late a limit, or a client that has gone, may be noticed. */
  watchEveryMs: 250,
  countMs: 30_000,
  /** A person waits for the test of an upstream, and for its list of models. */
  testMs: 60_000,
  replyBytesMax: 64 * 1024 * 1024,
  faultBytesMax: 64 * 1024,
  /** An event may hold a large picture; a longer one than `longReplyBytes` is read in turns. */
  frameBytesMax: 32 * 1024 * 1024,
  /** So much of a stream is read in one turn, so many events of it are looked at, and so much is written. */
  streamBytesATurn: 64 * 1024,
  framesATurn: 1_000,
  writtenBytesATurn: 1024 * 1024,
  /** Of what is written anew: each event of it is work. */
  encodedBytesATurn: 256 * 1024,
  /** The first events wait for the first content, so that an early failure is still a plain HTTP error; not for long. */
  heldBackMs: 2_000,
  heldBackBytesMax: 256 * 1024,
  /** A stream that is silent for this long gets a comment, so that nobody on the way takes it for dead. */
  keepAliveMs: 15_000,
  /** After every answer has finished an upstream may take this long for its usage and its last event. */
  finishedMs: 10_000,
  /** After the last event an upstream may take this long to close, so that its connection can be used again. */
  lingerMs: 2_000,
  /** The caller has gone, and closing the connection ends the bill: the end of the answer may just be on its way. */
  graceMs: 500,
  /** The caller has gone, and the vendor bills on: the rest is read for its usage, for so long and no further. */
  readOnMs: 30_000,
  readOnTokensMax: 65_536,
  readOnBytesMax: 8 * 1024 * 1024,
  /** How many answers whose callers have gone are read at once; beyond it their cost is estimated. */
  readersMax: 1_000,
  readersPerAccountMax: 100,
  /** How far a stream has come is written down after this time, or after this many bytes of the upstream's stream and
   * this share of them, whichever comes first. */
  checkpointMs: 1_000,
  checkpointBytes: 16 * 1024,
  checkpointShare: 32,
  /** How fast a model thinks when it does not show its reasoning, until its own speed was measured. */
  hiddenTokensPerSecond: 50,
} as const
