import type { Socket } from 'node:net'
import type { TestProtocol } from '../support/protocols/test-protocol.ts'

/** The request that a faulty upstream received, and the socket for its answer. */
export interface Turn {
  /** The caller's name for the model, which each request of a batch has for itself. */
  readonly model: string
  readonly to: TestProtocol
  readonly isStream: boolean
  /** As a healthy upstream sees it. */
  readonly path: string
  readonly socket: Socket
}

/** What must become of a request whose upstream has the fault. */
export type Outcome =
  /** The upstream rejects the request: the client gets its status, and there is no retry. */
  | { readonly kind: 'passed-on'; readonly status: number }
  /** Nothing was delivered: somebody else is asked; alone it ends with this status and reason. */
  | { readonly kind: 'failed'; readonly status: number; readonly reason: string }
  /** The stream breaks after content: the client gets an error in its own protocol, and there is no retry. */
  | { readonly kind: 'broken'; readonly status: number; readonly reason: string }
  /** It is an answer all the same, charged as reported, by estimate, or within the limits of the model. */
  | { readonly kind: 'good'; readonly charge: 'reported' | 'estimated' | 'bounded' }

export interface Act {
  readonly play?: (turn: Turn) => void
  readonly outcome: Outcome
}

/** Where the upstreams of a fault are, and how patient the gateway is with them. */
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
  /** Behind a proxy that passes requests on. */
  | 'proxied'
  /** Behind a proxy that leads through. */
  | 'tunnelled'
  /** Behind a proxy that says nothing. */
  | 'silent-proxy'
  /** Where an answer is billed to its end, whoever has closed its connection. */
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

/** The same in both shapes. */
export function either(
  name: string,
  outcome: Outcome,
  play?: (turn: Turn) => void,
  place: Place = 'plain',
): FaultKind {
  const act = play ? { play, outcome } : { outcome }
  return { name, place, stream: act, whole: act }
}
