import type { Upstream } from '../catalog/catalog-snapshot.ts'
import type { Clock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import { protocols } from '../protocols/index.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { mayHoldSealed } from '../protocols/seal-opaque.ts'
import type { Candidate } from '../routing/plan.ts'
import { vendors } from '../vendors/index.ts'
import { protocolFor, type Vendor } from '../vendors/vendor.ts'
import type { Call } from './call.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'
import { PassThroughPassage } from './pass-through-passage.ts'
import type { Passage } from './passage.ts'
import { type PrepareParts, prepareRequest } from './prepare-request.ts'
import { traitsOf } from './route-traits.ts'
import { TranslatingPassage, type TranslationParts } from './translating-passage.ts'
import type { ExpiryReason, Waiting, Watchdog, Watched } from './watchdog.ts'

export interface AttemptParts extends PrepareParts, TranslationParts {
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
  /** How the request was written; there once it has been. */
  passage: Passage | undefined
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

/** Writes the request in the upstream's words and sends it. */
export async function sendAttempt(
  exchange: Exchange,
  attempt: Attempt,
  parts: AttemptParts,
): Promise<Response> {
  const { upstream, upstreamModel } = attempt.candidate.route
  const vendor = vendors.get(upstream.vendor)
  const protocol = vendor && protocolFor(vendor, upstream.protocol, exchange.protocol.name)
  if (!vendor || protocol === undefined) throw unknownKind(upstream)
  const { baseUrl, credential } = upstream
  const { isStream } = exchange.facts
  const destination = {
    baseUrl,
    protocol,
    credential,
    model: upstreamModel,
    operation: isStream ? ('stream' as const) : ('generate' as const),
  }
  const url = vendor.url(destination)
  if (url === undefined) throw unknownKind(upstream)
  const opened = openPassage(exchange, attempt.candidate, protocols[protocol], vendor, parts)
  const passage = opened instanceof Promise ? await opened : opened
  attempt.passage = passage
  exchange.story.warnings = passage.warnings
  const headers = vendor.headers(destination)
  headers['content-type'] = 'application/json'
  headers['accept'] = isStream ? 'text/event-stream' : 'application/json'
  headers['accept-encoding'] = 'identity'
  Object.assign(headers, passage.headers)
  return parts.send({ url, headers, body: passage.body, signal: attempt.signal })
}

/**
 * The caller's bytes where both sides speak one protocol, unless they hold what only this gateway can read, or
 * the answer must be kept within the money that there is.
 */
function openPassage(
  exchange: Exchange,
  candidate: Candidate,
  upstream: Protocol,
  vendor: Vendor,
  parts: AttemptParts,
): Passage | Promise<Passage> {
  const isForwarded = upstream.name === exchange.protocol.name && !exchange.constraint
  if (isForwarded && !mayHoldSealed(exchange.body.text)) {
    const { route, model } = candidate
    const traits = traitsOf(route, vendor)
    const target = { model: route.upstreamModel, outputTokensMax: model.maxOutputTokens, traits }
    return new PassThroughPassage(exchange, target)
  }
  const prepared = prepareRequest(exchange, candidate, upstream, vendor, parts)
  return prepared instanceof Promise
    ? prepared.then((ready) => new TranslatingPassage(exchange, upstream, ready, parts))
    : new TranslatingPassage(exchange, upstream, prepared, parts)
}

function unknownKind(upstream: Upstream): Fault {
  return new Fault(
    'no_upstream_available',
    'The upstream of this model is of a kind that this version does not know.',
    {
      operatorMessage: `upstream ${upstream.id} has vendor ${upstream.vendor} and protocol ${upstream.protocol}`,
    },
  )
}
