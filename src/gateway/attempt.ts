import type { Clock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import { isProtocolName } from '../core/protocol-name.ts'
import type { Candidate } from '../routing/plan.ts'
import { vendors } from '../vendors/index.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'
import type { Watchdog, Watched } from './watchdog.ts'

/** One request on its way to one upstream, with everything needed to stop it. */
export interface Attempt {
  readonly candidate: Candidate
  readonly startedMs: number
  readonly abort: AbortController
  readonly watched: Watched
}

export interface AttemptParts {
  readonly send: SendHttp
  readonly watchdog: Watchdog
  readonly clock: Clock
}

export type AbortReason = 'client_gone' | 'upstream_timeout' | 'draining'

/** Why an attempt was stopped from our side, if it was. */
export function abortReasonOf(attempt: Attempt): AbortReason | undefined {
  const reason: unknown = attempt.abort.signal.aborted ? attempt.abort.signal.reason : undefined
  return reason === 'client_gone' || reason === 'upstream_timeout' || reason === 'draining'
    ? reason
    : undefined
}

export function openAttempt(
  exchange: Exchange,
  candidate: Candidate,
  parts: AttemptParts,
): Attempt {
  const abort = new AbortController()
  const headersMs = exchange.facts.isStream ? limits.streamHeadersMs : limits.wholeHeadersMs
  const watched = parts.watchdog.watch(headersMs, limits.totalMs, (reason) => abort.abort(reason))
  const { signal } = exchange.call
  if (signal.aborted) abort.abort('client_gone')
  else signal.addEventListener('abort', () => abort.abort('client_gone'), { once: true })
  return { candidate, startedMs: parts.clock.monotonicMs(), abort, watched }
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
  const destination = {
    baseUrl: upstream.baseUrl,
    protocol: upstream.protocol,
    credential: upstream.credential,
  }
  return parts.send({
    url: vendor.url(destination),
    headers: {
      'content-type': 'application/json',
      accept: exchange.facts.isStream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      ...vendor.headers(destination),
    },
    body: exchange.passThrough.encodeForward(exchange.body, exchange.facts, upstreamModel),
    signal: attempt.abort.signal,
  })
}
