/** The fake upstream's behaviour for a request, as data. */
export type Behaviour =
  /** Answers like the demo upstream. */
  | { readonly kind: 'demo' }
  | ReplyBehaviour
  | EventsBehaviour
  /** Accepts the request and never answers. */
  | { readonly kind: 'stall-before-headers' }
  /** Destroys the connection instead of answering. */
  | { readonly kind: 'reset' }
  | StatusBehaviour
  /** The demo's answer with this usage; a function computes the usage from the request body. */
  | { readonly kind: 'lie-usage'; readonly usage: object | ((body: string) => object) }
  /** The demo's answer without usage, even if the request asks for usage. */
  | { readonly kind: 'no-usage' }
  | SplitBehaviour
  | DelayedBehaviour

export interface ReplyBehaviour {
  readonly kind: 'reply'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface EventsBehaviour {
  readonly kind: 'events'
  /** Raw frames including blank lines, sent unchanged. */
  readonly events: readonly string[]
  /** `cut` destroys the socket after the last event, `stall` keeps it open and silent. */
  readonly end: 'clean' | 'cut' | 'stall'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Event n waits until gate n resolves. */
  readonly gates?: readonly (Promise<unknown> | undefined)[]
}

export interface StatusBehaviour {
  readonly kind: 'status'
  readonly status: number
  readonly retryAfterSeconds?: number
  readonly message?: string
}

/**
 * The bytes of another behaviour (default: the demo), a few at a time, so that chunks end inside characters and lines.
 */
export interface SplitBehaviour {
  readonly kind: 'split'
  readonly bytesPerWrite: number
  readonly of?: Behaviour
}

/** Another behaviour, after a delay: a model that thinks before it answers. */
export interface DelayedBehaviour {
  readonly kind: 'late'
  readonly afterMs: number
  readonly of: Behaviour
}
