import type { RequestReason } from '../../core/codes.ts'
import type { Fault } from '../../core/fault.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { AccountSlots } from '../../core/runtime/account-slots.ts'
import type { AttemptSpan, Tracer } from '../../core/telemetry/request-span.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { AttemptChoice, RequestChange } from '../../core/upstreams/attempt-note.ts'
import type { ParameterPolicy } from '../../core/upstreams/parameter-policy.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import { StopSwitch } from '../../http-out/stop-switch.ts'
import { mayHoldSealed } from '../../protocols/fit/seal-opaque.ts'
import { protocols } from '../../protocols/index.ts'
import type { ForwardTarget, Protocol } from '../../protocols/protocol.ts'
import type { FailureCause } from '../../routing/failure-cause.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { TextCuts } from '../../wire/text-cuts.ts'
import { callLimitsAt } from '../admit/bound-features.ts'
import type { SharedObjectMemory } from '../admit/shared-object-memory.ts'
import type { Call } from '../call.ts'
import type { Exchange } from '../exchange.ts'
import { readAfterDisconnectMs } from '../reply/disconnected-reads.ts'
import type { BoundedWait, ExpiryReason, Watchdog, WatchedWait } from '../reply/watchdog.ts'
import { applyParameters } from './apply-parameters.ts'
import { CompactionPassage, compactionAddress } from './compaction.ts'
import { extendHold } from './extend-hold.ts'
import type { StopReason } from './failed-attempt.ts'
import type { ByteBlocks } from './held-media.ts'
import { meterPassage } from './metered-passage.ts'
import { PassThroughPassage } from './pass-through-passage.ts'
import type { Passage } from './passage.ts'
import { type PrepareDeps, prepareRequest } from './prepare-request.ts'
import { addressOf, type RouteAddress } from './route-address.ts'
import { repliesOf, traitsOf } from './route-traits.ts'
import { searchSealed } from './search-sealed.ts'
import {
  type PreparedRequest,
  TranslatingPassage,
  type TranslationDeps,
} from './translating-passage.ts'
import { faultOfResponse } from './upstream-fault.ts'

export interface AttemptDeps extends PrepareDeps, TranslationDeps {
  readonly send: SendHttp
  readonly watchdog: Watchdog
  readonly clock: Clock
  readonly sharedObjects: SharedObjectMemory
  readonly disconnectedReads: AccountSlots
  /** Undefined when no request is traced. */
  readonly tracer: Tracer | undefined
}

/** Passes a response on to the client. */
export interface ResponseSink {
  /** Whether the client has not yet taken earlier data: then the wait is not the upstream's fault. */
  readonly isHeldUp: boolean
  /** Whether the upstream has reported that the answer is complete. */
  readonly isFinished: boolean
  /** The client has disconnected: the rest of the response is only read, as long as the attempt lasts. */
  left(): void
  /** The gateway has stopped the response. The client may not be asking for more of it. */
  stopped(): void
}

/** One request to one upstream, with everything needed to stop it and to report the upstream's health. */
export class Attempt implements BoundedWait {
  readonly candidate: Candidate
  /** Why routing chose this candidate; undefined when there was no choice. */
  readonly why: AttemptChoice | undefined
  readonly startedMs: number
  readonly watched: WatchedWait
  readonly switch = new StopSwitch()
  stopReason: StopReason | undefined
  sink: ResponseSink | undefined
  /** Whether the attempt needs a new connection. */
  isFresh = false
  wasSent = false
  /** How the request was written; undefined before that. */
  passage: Passage | undefined
  /** Changes that the route's parameters made to the request. */
  changes: readonly RequestChange[] | undefined
  /** The status of the upstream's error response. */
  upstreamStatus: number | undefined
  /** The cause of the failure. */
  cause: FailureCause | undefined
  /** How long the upstream asked clients to wait. */
  cooldownMs: number | undefined
  /** When the client disconnected. From then on the response is at most read for its usage. */
  leftMs: number | undefined
  /** Undefined when the request is not traced. */
  span: AttemptSpan | undefined
  readonly #call: Call
  readonly #accountId: string
  readonly #isStream: boolean
  readonly #disconnectedReads: AccountSlots
  readonly #isTrial: boolean
  #isReader = false
  #hasSucceeded = false

  constructor(
    exchange: Exchange,
    candidate: Candidate,
    why: AttemptChoice | undefined,
    deps: AttemptDeps,
  ) {
    this.candidate = candidate
    this.why = why
    this.#call = exchange.call
    this.#accountId = exchange.caller.account.id
    this.#isStream = exchange.facts.isStream
    this.#disconnectedReads = deps.disconnectedReads
    this.startedMs = deps.clock.monotonicMs()
    const { headersMs, wholeMs, totalMs } = candidate.route.upstream.timeouts
    const queuedMs = exchange.trace.queuedMs ?? 0
    const waitMs = exchange.facts.isStream ? headersMs : wholeMs - queuedMs
    this.#isTrial = candidate.state.enter(this.startedMs, this.#accountId)
    this.watched = deps.watchdog.watch(this.startedMs, waitMs, totalMs - queuedMs, this)
  }

  get upstreamId(): string {
    return this.candidate.route.upstream.id
  }

  isClientGone(): boolean {
    return this.#call.isClientGone()
  }

  get hasLeft(): boolean {
    return this.leftMs !== undefined
  }

  get isHeldUp(): boolean {
    return this.sink?.isHeldUp === true
  }

  /** Reads on for a while, if the limits allow it: the end of the response contains its usage. */
  clientLeft(nowMs: number): void {
    if (this.hasLeft) return
    this.leftMs = nowMs
    this.#isReader = this.#disconnectedReads.begin(this.#accountId)
    if (this.#isReader) {
      const isFinished = this.sink?.isFinished === true
      const { route } = this.candidate
      this.watched.endBy(
        nowMs,
        readAfterDisconnectMs(route, { isStream: this.#isStream, isFinished }),
      )
    } else this.stop('client_gone')
    this.sink?.left()
  }

  expire(reason: ExpiryReason): void {
    this.stop(reason)
    this.sink?.stopped()
  }

  leave(): void {
    if (this.#isReader) this.#disconnectedReads.end(this.#accountId)
    this.candidate.state.leave(this.#isTrial, this.#accountId)
  }

  /** The first content of the upstream's reply has arrived. */
  succeed(nowMs: number): void {
    if (this.#hasSucceeded) return
    this.#hasSucceeded = true
    this.candidate.state.succeed(nowMs, this.startedMs, this.#accountId)
  }

  fail(fault: Fault, nowMs: number): void {
    this.cause = this.#causeOf(fault)
    const { cause, upstreamStatus: status, cooldownMs } = this
    const failure = { cause, status, cooldownMs }
    this.candidate.state.fail(nowMs, this.startedMs, failure, this.#accountId)
  }

  /** The reason that the usage row gives for a failure of this attempt. */
  reasonFor({ code }: Fault): RequestReason {
    return this.cause === 'connection' ? 'stale_connection' : code
  }

  written(): Passage {
    if (!this.passage) throw new Error('an attempt was answered before it was written')
    return this.passage
  }

  /** Closes the connection to the upstream. The first reason is kept. */
  stop(reason: StopReason): void {
    this.watched.stop()
    this.stopReason ??= reason
    this.switch.stop()
  }

  #causeOf({ code, details }: Fault): FailureCause {
    if (this.stopReason === 'client_gone' || this.stopReason === 'draining') return 'nobody'
    if (details.isUntranslatable === true) return 'nobody'
    if (this.cause !== undefined) return this.cause
    return code === 'upstream_error' || code === 'upstream_timeout' ? 'upstream' : 'nobody'
  }
}

/** Writes the request for the upstream and sends it. Throws a fault for every status except 200. */
export async function sendAttempt(
  exchange: Exchange,
  attempt: Attempt,
  deps: AttemptDeps,
): Promise<UpstreamResponse> {
  const { route, credential } = attempt.candidate
  const { facts, protocol } = exchange
  const address = facts.isCompaction
    ? compactionAddress(route, credential, protocol)
    : addressOf(route, credential, protocol.name, facts.isStream)
  const { vendor, url } = address
  const upstreamProtocol = protocols[address.protocol]
  const opened = openPassage(exchange, attempt, upstreamProtocol, vendor, deps)
  const plain = opened instanceof Promise ? await opened : opened
  const passage =
    facts.features === undefined
      ? plain
      : meterPassage(
          plain,
          exchange,
          upstreamProtocol,
          repliesOf(route, vendor),
          deps.sharedObjects,
        )
  attempt.passage = passage
  exchange.trace.warnings = warningsOf(exchange, attempt.candidate, passage)
  const { upstream, parameters } = route
  const text = parameters
    ? changed(passage.body, attempt, parameters, address.protocol)
    : passage.body
  if (!(plain instanceof PassThroughPassage) || parameters) {
    const hasLoss = passage.warnings.length > 0 || parameters !== undefined
    const { candidate } = attempt
    const { cuts } = exchange.body
    const covered = extendHold(exchange, {
      text,
      cuts,
      protocol: upstreamProtocol,
      candidate,
      hasLoss,
    })
    if (covered) await covered
  }
  const pieces = filled(text, exchange)
  const body = pieces instanceof Promise ? await pieces : pieces
  attempt.wasSent = true
  const traced = traceAttempt(exchange, attempt, address, deps)
  const response = await deps.send({
    url,
    headers: withHeaders(withHeaders(address.headers, passage.headers), traced),
    body,
    stop: attempt.switch,
    connection: upstream.connection,
    connectMs: upstream.timeouts.connectMs,
    isFresh: attempt.isFresh,
  })
  if (response.status !== 200) throw await faultOfResponse(exchange, attempt, response)
  releaseMedia(exchange)
  exchange.trace.upstreamRequestId = upstreamIdOf(response.headers)
  return response
}

/** Begins the span of the attempt; returns the headers that continue the trace at the upstream, if it may know it. */
function traceAttempt(
  { trace, call }: Exchange,
  attempt: Attempt,
  { vendor, url }: RouteAddress,
  { tracer }: AttemptDeps,
): Readonly<Record<string, string>> | undefined {
  if (!trace.span || !tracer) return undefined
  const { route } = attempt.candidate
  const { span, headers } = tracer.attempt(trace.span, {
    upstreamId: route.upstream.id,
    provider: vendor.providerName ?? vendor.name,
    model: route.upstreamModel,
    url,
    startMs: attempt.startedMs - call.startedMs,
  })
  attempt.span = span
  return headers
}

/** The body as sent: with the parts that were cut out of a long body, and with fetched media. */
function filled(
  text: string,
  { media, body }: Exchange,
): string | ByteBlocks | Promise<ByteBlocks> {
  const { cuts } = body
  const pieces = media ? media.fill(text) : [text]
  if (cuts) return fillCuts(pieces, cuts)
  return media ? pieces.map(bytesOf) : text
}

async function fillCuts(
  pieces: readonly (string | Uint8Array)[],
  cuts: TextCuts,
): Promise<ByteBlocks> {
  const all: Uint8Array[][] = []
  for (const piece of pieces) all.push(typeof piece === 'string' ? await cuts.fill(piece) : [piece])
  return all.flat()
}

/** Media are not copied. */
function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece
}

/** Before an answer the next upstream may need the media. A stream that starts over fetches them again. */
export function releaseMedia(exchange: Exchange): void {
  exchange.media?.release()
  exchange.media = undefined
}

/** Applies the route's parameters and records the changes for the usage row. */
function changed(
  body: string,
  attempt: Attempt,
  policy: ParameterPolicy,
  protocol: ProtocolName,
): string {
  const applied = applyParameters(body, policy, protocol)
  if (applied.changes.length > 0) attempt.changes = applied.changes
  return applied.body
}

/** OpenAI and Anthropic name the header differently; Google has none. */
function upstreamIdOf(headers: UpstreamResponse['headers']): string | undefined {
  return (headers.get('x-request-id') ?? headers.get('request-id'))?.slice(0, 200)
}

/** The warnings of the passage, plus one if a fallback model answers. */
function warningsOf(
  { facts, callsMax }: Exchange,
  { model }: Candidate,
  { warnings }: Passage,
): readonly string[] {
  const all = callsMax === undefined ? warnings : [`calls_limited_to_${callsMax}`, ...warnings]
  if (model.id === facts.model) return all
  return [`model_${model.id}_for_${facts.model}`.replace(/[^A-Za-z0-9_.-]+/g, '_'), ...all]
}

/** Returns the route's headers themselves, unless the client has sent some that have to be merged. */
function withHeaders(headers: Headers, own: Readonly<Record<string, string>> | undefined): Headers {
  if (!own) return headers
  const names = Object.keys(own)
  if (names.length === 0) return headers
  const all = new Headers(headers)
  for (const name of names) all.set(name, own[name] ?? '')
  return all
}

/**
 * Passes the client's bytes through when both sides speak the same protocol, unless the body contains envelopes that
 * only this gateway can read, or the answer must stay within a short hold.
 */
function openPassage(
  exchange: Exchange,
  attempt: Attempt,
  upstream: Protocol,
  vendor: Vendor,
  deps: AttemptDeps,
): Passage | Promise<Passage> {
  const { text, nodes } = exchange.body
  if (nodes === undefined) {
    return openAtOnce(exchange, attempt, upstream, vendor, deps, mayHoldSealed(text))
  }
  // Reading a long body has used up this turn, so the search runs in turns of its own.
  return searchSealed(exchange.body).then((isSealed) =>
    openAtOnce(exchange, attempt, upstream, vendor, deps, isSealed),
  )
}

function openAtOnce(
  exchange: Exchange,
  { candidate, switch: stop }: Attempt,
  upstream: Protocol,
  vendor: Vendor,
  deps: AttemptDeps,
  isSealed: boolean,
): Passage | Promise<Passage> {
  const isForwarded = upstream.name === exchange.protocol.name && !exchange.constraint
  if (isForwarded && !isSealed) {
    return new PassThroughPassage(exchange, targetOf(exchange, candidate, vendor))
  }
  const prepared = prepareRequest(exchange, candidate, upstream, vendor, stop, deps)
  const open = (ready: PreparedRequest) =>
    exchange.facts.isCompaction
      ? new CompactionPassage(exchange, targetOf(exchange, candidate, vendor), ready)
      : new TranslatingPassage(exchange, upstream, ready, deps)
  return prepared instanceof Promise ? prepared.then(open) : open(prepared)
}

function targetOf(exchange: Exchange, candidate: Candidate, vendor: Vendor): ForwardTarget {
  const { route, model } = candidate
  const traits = traitsOf(route, vendor)
  const calls = callLimitsAt(exchange, candidate)
  return { model: route.upstreamModel, outputTokensMax: model.maxOutputTokens, traits, calls }
}
