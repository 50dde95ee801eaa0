import type { Clock } from '../../core/clock.ts'
import type { RequestReason } from '../../core/codes.ts'
import type { Fault } from '../../core/fault.ts'
import type { ParameterPolicy } from '../../core/parameter-policy.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import type { RequestChange, TryChoice } from '../../core/try-note.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import { StopSwitch } from '../../http-out/stop-switch.ts'
import { mayHoldSealed } from '../../protocols/fit/seal-opaque.ts'
import { protocols } from '../../protocols/index.ts'
import type { ForwardTarget, Protocol } from '../../protocols/protocol.ts'
import type { Blame } from '../../routing/blame.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { TextCuts } from '../../wire/text-cuts.ts'
import { callLimitsAt } from '../admit/bound-features.ts'
import type { SharedObjectMemory } from '../admit/shared-object-memory.ts'
import type { Call } from '../call.ts'
import type { Exchange } from '../exchange.ts'
import { type Departures, readOnMs } from '../reply/departures.ts'
import type { ExpiryReason, Waiting, Watchdog, Watched } from '../reply/watchdog.ts'
import { applyParameters } from './apply-parameters.ts'
import { CompactionPassage, compactionAddress } from './compaction.ts'
import { coverSent } from './cover-sent.ts'
import type { ByteBlocks } from './held-media.ts'
import { meterPassage } from './metered-passage.ts'
import { PassThroughPassage } from './pass-through-passage.ts'
import type { Passage } from './passage.ts'
import { type PrepareDeps, prepareRequest } from './prepare-request.ts'
import { addressOf } from './route-address.ts'
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
  readonly departures: Departures
}

/** Why an attempt was stopped from our side. */
export type StopReason = ExpiryReason | 'given_up'

/** Who passes an answer on to the caller. */
export interface Passer {
  /** Whether the caller has yet to take what came before: then the upstream is not what is waited for. */
  readonly isHeldUp: boolean
  /** Whether the upstream has said that the answer is complete. */
  readonly isFinished: boolean
  /** Nobody takes the answer any more: the rest of it is only read, as long as the attempt lasts. */
  left(): void
  /** The answer was stopped from our side, and nobody may be asking for more of it. */
  stopped(): void
}

/** One request on its way to one upstream, with everything needed to stop it, and what it tells about the upstream. */
export class Attempt implements Waiting {
  readonly candidate: Candidate
  /** Why this one was chosen; undefined when there was nothing to choose. */
  readonly why: TryChoice | undefined
  readonly startedMs: number
  readonly watched: Watched
  readonly switch = new StopSwitch()
  stopReason: StopReason | undefined
  passer: Passer | undefined
  /** Whether it must have a new connection. */
  isFresh = false
  /** How the request was written; there once it has been. */
  passage: Passage | undefined
  /** What was changed for this route on the way out. */
  changes: readonly RequestChange[] | undefined
  /** What the upstream itself said when it failed. */
  upstreamStatus: number | undefined
  /** Whose fault that was. */
  blame: Blame | undefined
  /** How long the upstream asked to be left alone. */
  restMs: number | undefined
  /** When the caller had gone: since then the answer is read for its usage at most. */
  leftMs: number | undefined
  readonly #call: Call
  readonly #accountId: string
  readonly #isStream: boolean
  readonly #departures: Departures
  readonly #isTrial: boolean
  #isReader = false
  #hasSucceeded = false

  constructor(
    exchange: Exchange,
    candidate: Candidate,
    why: TryChoice | undefined,
    deps: AttemptDeps,
  ) {
    this.candidate = candidate
    this.why = why
    this.#call = exchange.call
    this.#accountId = exchange.caller.account.id
    this.#isStream = exchange.facts.isStream
    this.#departures = deps.departures
    this.startedMs = deps.clock.monotonicMs()
    const { headersMs, wholeMs, totalMs } = candidate.route.upstream.timeouts
    const waitMs = exchange.facts.isStream ? headersMs : wholeMs
    this.#isTrial = candidate.state.enter(this.startedMs, this.#accountId)
    this.watched = deps.watchdog.watch(this.startedMs, waitMs, totalMs, this)
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
    return this.passer?.isHeldUp === true
  }

  /** The answer is read on for a while, where there is room for that: it tells what it costs in the end. */
  clientLeft(nowMs: number): void {
    if (this.hasLeft) return
    this.leftMs = nowMs
    this.#isReader = this.#departures.begin(this.#accountId)
    if (this.#isReader) {
      const isFinished = this.passer?.isFinished === true
      const { route } = this.candidate
      this.watched.endBy(nowMs, readOnMs(route, { isStream: this.#isStream, isFinished }))
    } else this.stop('client_gone')
    this.passer?.left()
  }

  expire(reason: ExpiryReason): void {
    this.stop(reason)
    this.passer?.stopped()
  }

  leave(): void {
    if (this.#isReader) this.#departures.end(this.#accountId)
    this.candidate.state.leave(this.#isTrial, this.#accountId)
  }

  /** The upstream answers: the first content of its reply is there. */
  succeed(nowMs: number): void {
    if (this.#hasSucceeded) return
    this.#hasSucceeded = true
    this.candidate.state.succeed(nowMs, this.startedMs, this.#accountId)
  }

  fail(fault: Fault, nowMs: number): void {
    this.blame = this.#blameFor(fault)
    const { blame, upstreamStatus: status, restMs } = this
    const failure = { blame, status, restMs }
    this.candidate.state.fail(nowMs, this.startedMs, failure, this.#accountId)
  }

  /** What the log calls a failure of it. */
  reasonFor({ code }: Fault): RequestReason {
    return this.blame === 'connection' ? 'stale_connection' : code
  }

  written(): Passage {
    if (!this.passage) throw new Error('an attempt was answered before it was written')
    return this.passage
  }

  /** Closes the connection to the upstream; the first reason stays. */
  stop(reason: StopReason): void {
    this.watched.stop()
    this.stopReason ??= reason
    this.switch.stop()
  }

  #blameFor({ code, details }: Fault): Blame {
    if (this.stopReason === 'client_gone' || this.stopReason === 'draining') return 'nobody'
    if (details.isUntranslatable === true) return 'nobody'
    if (this.blame !== undefined) return this.blame
    return code === 'upstream_error' || code === 'upstream_timeout' ? 'upstream' : 'nobody'
  }
}

/** Writes the request in the upstream's words and sends it. Throws the fault of any answer but 200. */
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
  const theirs = protocols[address.protocol]
  const opened = openPassage(exchange, attempt, theirs, vendor, deps)
  const plain = opened instanceof Promise ? await opened : opened
  const passage =
    facts.features === undefined
      ? plain
      : meterPassage(plain, exchange, theirs, repliesOf(route, vendor), deps.sharedObjects)
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
    const covered = coverSent(exchange, { text, cuts, protocol: theirs, candidate, hasLoss })
    if (covered) await covered
  }
  const body = filled(text, exchange)
  const response = await deps.send({
    url,
    headers: withHeaders(address.headers, passage.headers),
    body: body instanceof Promise ? await body : body,
    stop: attempt.switch,
    connection: upstream.connection,
    connectMs: upstream.timeouts.connectMs,
    isFresh: attempt.isFresh,
  })
  if (response.status !== 200) throw await faultOfResponse(exchange, attempt, response)
  letMediaGo(exchange)
  exchange.trace.upstreamRequestId = upstreamIdOf(response.headers)
  return response
}

/** What goes out: with what was taken out of a long body, and with the media that were fetched for it. */
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

/** Before an answer the next upstream may need them; a stream that begins again fetches them anew. */
export function letMediaGo(exchange: Exchange): void {
  exchange.media?.release()
  exchange.media = undefined
}

/** The request as the policy of the route wants it; the log tells what was changed. */
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

/** Besides what was left out on the way: that another model answers than the one that was asked for. */
function warningsOf(
  { facts, callsMax }: Exchange,
  { model }: Candidate,
  { warnings }: Passage,
): readonly string[] {
  const told = callsMax === undefined ? warnings : [`calls_limited_to_${callsMax}`, ...warnings]
  if (model.id === facts.model) return told
  return [`model_${model.id}_for_${facts.model}`.replace(/[^A-Za-z0-9_.-]+/g, '_'), ...told]
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
  attempt: Attempt,
  upstream: Protocol,
  vendor: Vendor,
  deps: AttemptDeps,
): Passage | Promise<Passage> {
  const { text, nodes } = exchange.body
  if (nodes === undefined) {
    return openAtOnce(exchange, attempt, upstream, vendor, deps, mayHoldSealed(text))
  }
  // Whoever has a long body has just had a turn to read it.
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
