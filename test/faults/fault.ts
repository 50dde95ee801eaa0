import type { Socket } from 'node:net'
import type { TestProtocol } from '../support/protocols/test-protocol.ts'

/** The request that a faulty upstream received, and the socket for its answer. */
export interface Turn {
  /** The model that the client requested. Each request of a batch has its own model. */
  readonly model: string
  readonly to: TestProtocol
  readonly isStream: boolean
  /** The path that a healthy upstream would receive. */
  readonly path: string
  readonly socket: Socket
}

/** The required result of a request whose upstream has the fault. */
export type Outcome =
  /** The upstream rejects the request: the client gets its status, and there is no retry. */
  | { readonly kind: 'passed-on'; readonly status: number }
  /**
   * Nothing was delivered: the gateway retries at another upstream. Without one, the request ends with this status and
   * reason.
   */
  | { readonly kind: 'failed'; readonly status: number; readonly reason: string }
  /** The stream breaks after content: the client gets an error in its own protocol, and there is no retry. */
  | { readonly kind: 'broken'; readonly status: number; readonly reason: string }
  /** The reply is valid nevertheless, and charged as reported, by estimate, or within the limits of the model. */
  | { readonly kind: 'good'; readonly charge: 'reported' | 'estimated' | 'bounded' }

export interface Act {
  readonly play?: (turn: Turn) => void
  readonly outcome: Outcome
}

/** The location of a fault's upstreams, and the timeouts of the gateway for them. */
export type Place =
  | 'plain'
  | 'hasty-headers'
  | 'hasty-token'
  | 'hasty-idle'
  | 'refused'
  | 'nameless'
  | 'no-tls'
  | 'strange-tls'
  | 'flooding'
  /** Behind a proxy that forwards requests. */
  | 'proxied'
  /** Behind a proxy that opens tunnels. */
  | 'tunnelled'
  /** Behind a proxy that does not answer. */
  | 'silent-proxy'
  /** The upstream bills an answer to its end after the connection is closed. */
  | 'billing-on'

export interface FaultKind {
  readonly name: string
  readonly place: Place
  readonly stream: Act
  readonly whole: Act
  /** Tens of megabytes for each request: only each protocol at either end, once. */
  readonly isLarge?: true
}

export const failed = (status = 502, reason = 'upstream_error'): Outcome => ({
  kind: 'failed',
  status,
  reason,
})
export const broken = (status = 502, reason = 'upstream_error'): Outcome => ({
  kind: 'broken',
  status,
  reason,
})
export const good = (charge: 'reported' | 'estimated' | 'bounded' = 'reported'): Outcome => ({
  kind: 'good',
  charge,
})
export const passedOn = (status: number): Outcome => ({ kind: 'passed-on', status })

/** The same fault, streamed and not streamed. */
export function either(
  name: string,
  outcome: Outcome,
  play?: (turn: Turn) => void,
  place: Place = 'plain',
): FaultKind {
  const act = play ? { play, outcome } : { outcome }
  return { name, place, stream: act, whole: act }
}
