import type { Clock } from '../core/clock.ts'
import { protocols } from '../protocols/index.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { mayHoldSealed } from '../protocols/seal-opaque.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { Call } from './call.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'
import { PassThroughPassage } from './pass-through-passage.ts'
import type { Passage } from './passage.ts'
import { type PrepareParts, prepareRequest } from './prepare-request.ts'
import { addressOf } from './route-address.ts'
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
  const { route } = attempt.candidate
  const { facts, protocol } = exchange
  const address = addressOf(route, protocol.name, facts.isStream)
  const { vendor, url } = address
  const theirs = protocols[address.protocol]
  const opened = openPassage(exchange, attempt.candidate, theirs, vendor, parts)
  const passage = opened instanceof Promise ? await opened : opened
  attempt.passage = passage
  exchange.story.warnings = passage.warnings
  const headers = withHeaders(address.headers, passage.headers)
  return parts.send({ url, headers, body: passage.body, signal: attempt.signal })
}

/** The headers of the route as they are, unless the client has brought some that belong with them. */
function withHeaders(headers: Headers, own: Readonly<Record<string, string>>): Headers {
  const names = Object.keys(own)
  if (names.length === 0) return headers
  const all = new Headers(headers)
  for (const name of names) all.set(name, own[name] ?? '')
  return all
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
