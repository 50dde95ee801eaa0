import type { Clock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import { isProtocolName } from '../core/protocol-name.ts'
import type { Candidate } from '../routing/plan.ts'
import { vendors } from '../vendors/index.ts'
import type { Call } from './call.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'
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
  const { upstream, upstreamModel } = attempt.candidate.route
  const vendor = vendors.get(upstream.vendor)
  if (!vendor || !isProtocolName(upstream.protocol)) {
    throw new Fault(
      'no_upstream_available',
      'The upstream of this model is of a kind that this version does not know.',
      {
        operatorMessage: `upstream ${upstream.id} has vendor ${upstream.vendor} and protocol ${upstream.protocol}`,
      },
    )
  }
  const { baseUrl, protocol, credential } = upstream
  const destination = { baseUrl, protocol, credential }
  const headers = vendor.headers(destination)
  headers['content-type'] = 'application/json'
  headers['accept'] = exchange.facts.isStream ? 'text/event-stream' : 'application/json'
  headers['accept-encoding'] = 'identity'
  return parts.send({
    url: vendor.url(destination),
    headers,
    body: exchange.passThrough.encodeForward(exchange.body, exchange.facts, upstreamModel),
    signal: attempt.signal,
  })
}
