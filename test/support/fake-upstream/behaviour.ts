/** What the fake upstream does with a request, as data. */
export type Behaviour =
  /** Answers as the demo upstream does. */
  | { readonly kind: 'demo' }
  | ReplyBehaviour
  | EventsBehaviour
  /** Takes the request and never answers. */
  | { readonly kind: 'stall-before-headers' }
  /** Destroys the connection instead of answering. */
  | { readonly kind: 'reset' }
  | StatusBehaviour
  /** The demo's answer with its usage replaced, by what the request's body asks for if it is a function. */
  | { readonly kind: 'lie-usage'; readonly usage: object | ((body: string) => object) }
  /** The demo's answer without any usage, even when it was asked for. */
  | { readonly kind: 'no-usage' }
  | SplitBehaviour

export interface ReplyBehaviour {
  readonly kind: 'reply'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface EventsBehaviour {
  readonly kind: 'events'
  /** Raw frames, blank lines included: they are sent as they stand. */
  readonly events: readonly string[]
  /** `cut` destroys the socket after the last event, `stall` keeps it open and silent. */
  readonly end: 'clean' | 'cut' | 'stall'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Event n is held back until gate n resolves. */
  readonly gates?: readonly (Promise<unknown> | undefined)[]
}

export interface StatusBehaviour {
  readonly kind: 'status'
  readonly status: number
  readonly retryAfterSeconds?: number
  readonly message?: string
}

/** Another behaviour's bytes (the demo's unless told), a few at a time: the cuts fall inside characters and lines. */
export interface SplitBehaviour {
  readonly kind: 'split'
  readonly bytesPerWrite: number
  readonly of?: Behaviour
}
