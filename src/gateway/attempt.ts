import type { Clock } from '../core/clock.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Call } from './call.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'
import { addressOf } from './route-address.ts'
import type { ExpiryReason, Waiting, Watchdog, Watched } from './watchdog.ts'

export interface AttemptParts {
  readonly send: SendHttp
  readonly watchdog: Watchdog
  readonly clock: Clock
}

/** Why an attempt was stopped from our side. */
export type StopReason = ExpiryReason | 'given_up'

const waits = {
  stream: { waitMs: limits.streamHeadersMs, totalMs: limits.totalMs },
  whole: { waitMs: limits.wholeHeadersMs, totalMs: limits.totalMs },
}

/** One request on its way to one upstream, with everything needed to stop it. */
export class Attempt implements Waiting {
  readonly candidate: Candidate
  readonly startedMs: number
  readonly watched: Watched
  stopReason: StopReason | undefined
  readonly #call: Call
  readonly #abort = new AbortController()

  constructor(exchange: Exchange, candidate: Candidate, parts: AttemptParts) {
    this.candidate = candidate
    this.#call = exchange.call
    this.startedMs = parts.clock.monotonicMs()
    const wait = exchange.facts.isStream ? waits.stream : waits.whole
    this.watched = parts.watchdog.watch(this.startedMs, wait, this)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get upstreamId(): string {
    return this.candidate.route.upstream.id
  }

  isClientGone(): boolean {
    return this.#call.isClientGone()
  }

  expire(reason: ExpiryReason): void {
    this.stop(reason)
  }

  /** Closes the connection to the upstream; the first reason stays. */
  stop(reason: StopReason): void {
    this.watched.stop()
    this.stopReason ??= reason
    this.#abort.abort(reason)
  }
}

export function sendAttempt(
  exchange: Exchange,
  attempt: Attempt,
  parts: AttemptParts,
): Promise<Response> {
  const { route } = attempt.candidate
  const { url, headers } = addressOf(route, exchange.facts.isStream)
  const body = exchange.passThrough.encodeForward(
    exchange.body,
    exchange.facts,
    route.upstreamModel,
  )
  return parts.send({ url, headers, body, signal: attempt.signal })
}
