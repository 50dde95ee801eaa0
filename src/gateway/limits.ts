/**
 * Limits of the outgoing side. Every wait and every buffer has one. An upstream's own settings limit how long it may
 * take; `src/routing/retry-rules.ts` limits the attempts.
 */
export const limits = {
  /** The longest delay until an expired limit or a disconnected client is noticed. */
  watchEveryMs: 250,
  countMs: 30_000,
  /** Token counts by upstreams at the same time. They are free and use no rate limit; further counts are estimated. */
  countsMax: 64,
  countsPerAccountMax: 16,
  /** For the test of an upstream and for its list of models: a person waits for the result. */
  testMs: 60_000,
  replyBytesMax: 64 * 1024 * 1024,
  faultBytesMax: 64 * 1024,
  /** Longer conversations are not stored. The client has to send them in full. */
  storedCharactersMax: 4 * 1024 * 1024,
  /** An event may contain a large image. Events longer than `longReplyBytes` are read in turns. */
  frameBytesMax: 32 * 1024 * 1024,
  /** Limits of one turn: bytes of a stream to read, events to process, bytes to write. */
  streamBytesATurn: 64 * 1024,
  framesATurn: 1_000,
  writtenBytesATurn: 1024 * 1024,
  /** The limit of one turn for translated output: each event costs time to encode. */
  encodedBytesATurn: 256 * 1024,
  /** Events before the first content are held back this long, so that an early failure is still a plain HTTP error. */
  heldBackMs: 2_000,
  heldBackBytesMax: 256 * 1024,
  /** A stream that is silent for this long gets a comment, so that no client or proxy takes it for dead. */
  keepAliveMs: 15_000,
  /** The time that an upstream has for its usage and its last event after every answer has finished. */
  finishedMs: 10_000,
  /** The time that an upstream has to close after the last event, so that its connection can be reused. */
  lingerMs: 2_000,
  /** After a disconnect, if closing the connection ends the billing: the end of the response may be about to arrive. */
  graceMs: 500,
  /**
   * After the client has disconnected, if the vendor keeps billing: the rest is read for its usage, within these
   * limits.
   */
  readOnMs: 30_000,
  readOnTokensMax: 65_536,
  readOnBytesMax: 8 * 1024 * 1024,
  /** Responses read at the same time after their clients have disconnected. The cost of others is estimated. */
  readersMax: 1_000,
  readersPerAccountMax: 100,
  /**
   * A checkpoint of a stream is written after this time, or after this many new bytes if they are also at least one
   * part in `checkpointShare` of the bytes before them, whichever comes first.
   */
  checkpointMs: 1_000,
  checkpointBytes: 16 * 1024,
  checkpointShare: 32,
  /** The assumed speed of hidden reasoning until the speed of the model has been measured. */
  hiddenTokensPerSecond: 50,
} as const
