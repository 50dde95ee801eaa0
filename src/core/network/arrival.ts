/** A request as the listener knows it, with control over the deadline of its connection. */
export interface Arrival {
  /** Why the request line or the Host header is refused; undefined when both are valid. */
  readonly problem: string | undefined
  /** Whether the answer is a stream, whose writer ends the wait. */
  readonly isLeftOpen: boolean
  /** Call when the body has arrived: the answer may take as long as the model takes. */
  hold(): void
  /** Call when the answer is a stream. The writer of the stream calls `release` with the last bytes. */
  leaveOpen(): void
  /**
   * Call when the answer is complete. Restarts the deadline for the client to read the rest and to send its next
   * request.
   */
  release(answerBytes: number): void
}
