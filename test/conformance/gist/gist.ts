/**
 * The meaning of a reply, read from the wire by rules that are independent of the gateway's code. Two replies with the
 * same gist mean the same to their clients.
 */
export interface Gist {
  readonly answers: readonly AnswerGist[]
  readonly usage: UsageGist | undefined
  readonly isFault: boolean
}

export interface AnswerGist {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly CallGist[]
  readonly mediaCount: number
  /** Each image, by its bytes or URL. */
  readonly images: readonly string[]
  readonly finish: FinishClass
}

export interface CallGist {
  readonly id: string
  readonly name: string
  /** By value; text that is not a JSON object is in `_raw`. */
  readonly arguments: unknown
}

/** `odd`: a reason that only its own vendor has. `none`: the reply has no finish reason. */
export type FinishClass = 'stop' | 'length' | 'tool' | 'filter' | 'odd' | 'none'

/** By the formulas of the reference: totals that include cached and reasoning tokens. */
export interface UsageGist {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** Reads one protocol's replies. */
export interface GistReader {
  /** The whole reply that a stream of these events adds up to. */
  accumulate(events: readonly import('../read-sse.ts').WireEvent[]): unknown
  read(whole: unknown): Gist
}
