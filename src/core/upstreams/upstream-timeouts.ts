/** Time limits of one upstream for each part of an answer. */
export interface UpstreamTimeouts {
  /** Until a TCP connection to the upstream or to its proxy is open. */
  readonly connectMs: number
  /** Until the headers of a stream arrive. */
  readonly headersMs: number
  /** Until the headers of a whole answer arrive: the upstream generates the answer before it sends them. */
  readonly wholeMs: number
  readonly firstTokenMs: number
  /** Until the first token of a model that reasons before it answers. */
  readonly reasoningMs: number
  /** Between two events of a stream. */
  readonly idleMs: number
  readonly totalMs: number
}

export const timeoutsByDefault: UpstreamTimeouts = {
  connectMs: 5_000,
  headersMs: 60_000,
  wholeMs: 600_000,
  firstTokenMs: 60_000,
  reasoningMs: 300_000,
  idleMs: 120_000,
  totalMs: 30 * 60_000,
}
