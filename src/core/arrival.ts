/** What the listener knows of a request, and the deadline of the connection that the request came on. */
export interface Arrival {
  /** Why the request line or the Host header is refused; undefined when both are sound. */
  readonly problem: string | undefined
  /** Whether somebody else ends the wait, because the answer is a stream. */
  readonly isLeftOpen: boolean
  /** The body has arrived: an answer may take as long as the model takes. */
  hold(): void
  /** The answer is a stream, whose writer calls `release` with the last bytes. */
  leaveOpen(): void
  /** The answer is complete: the connection has this long to take the rest and to send its next request. */
  release(answerBytes: number): void
}
