import type { CallLimits } from '../../core/neutral/call-limits.ts'
import type { ModelRequest } from '../../core/neutral/model-request.ts'
import { turns } from '../../core/runtime/turns.ts'
import type { StopSwitch } from '../../http-out/stop-switch.ts'
import { answerCalls } from '../../protocols/fit/answer-calls.ts'
import { restoreReasoning } from '../../protocols/fit/carry-reasoning.ts'
import { fitTools } from '../../protocols/fit/fit-tools.ts'
import { nameResults } from '../../protocols/fit/name-results.ts'
import { refuseExtras } from '../../protocols/fit/refuse-extras.ts'
import { Notes } from '../../protocols/notes.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { plainReplies } from '../../protocols/reply-traits.ts'
import type { Target } from '../../protocols/translation.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import { writeJson } from '../../wire/exact-json.ts'
import { callLimitsAt } from '../admit/bound-features.ts'
import type { Exchange } from '../exchange.ts'
import type { ReasoningMemory } from '../reply/reasoning-memory.ts'
import { inlineMedia, type MediaFetching } from './inline-media.ts'
import { leanBody } from './lean-body.ts'
import { traitsOf } from './route-traits.ts'
import type { PreparedRequest } from './translating-passage.ts'

/** All steps of a shorter request together take no longer than one step of the longest, even before they are compiled. */
const atOnceCharactersMax = 512 * 1024

export interface PrepareDeps extends MediaFetching {
  readonly reasoning: ReasoningMemory
}

/**
 * Writes the client's request for one upstream. Synchronous, unless media have to be fetched or the request is long:
 * then each step has its own turn of the event loop.
 */
export function prepareRequest(
  exchange: Exchange,
  candidate: Candidate,
  upstream: Protocol,
  vendor: Vendor,
  stop: StopSwitch,
  deps: PrepareDeps,
): PreparedRequest | Promise<PreparedRequest> {
  const { text, nodes } = exchange.body
  const isLong = nodes !== undefined || text.length > atOnceCharactersMax
  const { protocol, caller } = exchange
  const writeIt = (whole: ModelRequest) =>
    writeForUpstream(
      isLong,
      {
        request: limited(whole, exchange),
        protocol,
        keyId: caller.key.id,
        calls: callLimitsAt(exchange, candidate),
      },
      candidate,
      upstream,
      vendor,
      deps,
    )
  const prepare = () => {
    const wants = inlineMedia(neutralOf(exchange), upstream.upstreamSide, exchange, stop, deps)
    return wants instanceof Promise ? wants.then(writeIt) : writeIt(wants)
  }
  return isLong ? prepareInTurns(exchange, prepare) : prepare()
}

/** Decoding has a turn of its own. It is the longest step before the code is compiled. */
async function prepareInTurns(
  exchange: Exchange,
  prepare: () => PreparedRequest | Promise<PreparedRequest>,
): Promise<PreparedRequest> {
  await turns.next()
  neutralOf(exchange)
  await turns.next()
  return prepare()
}

function atOnce<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    await turns.next()
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Sets an output limit that the money covers, where the client has set none. */
function limited(request: ModelRequest, { constraint }: Exchange): ModelRequest {
  if (constraint?.kind !== 'limit') return request
  return { ...request, outputTokensMax: constraint.tokensMax }
}

/** Decodes the request once for all attempts. */
function neutralOf(exchange: Exchange): ModelRequest {
  const { protocol, body, facts } = exchange
  exchange.neutral ??= protocol.translation.decodeRequest(leanBody(body), facts)
  return exchange.neutral
}

/** A decoded request, the protocol of its client, and its key. */
export interface DecodedRequest {
  readonly request: ModelRequest
  readonly protocol: Protocol
  readonly keyId: string
  /** The calls of hosted tools that are paid for. */
  readonly calls?: CallLimits | undefined
}

/** Each step of a long request has its own turn. */
export function writeForUpstream(
  isLong: boolean,
  ...params: Parameters<typeof writingSteps>
): PreparedRequest | Promise<PreparedRequest> {
  const steps = writingSteps(...params)
  return isLong ? inTurns(steps) : atOnce(steps)
}

/** Each step takes a few milliseconds at most, even for a request with the maximum number of turns. */
function* writingSteps(
  { request: asked, protocol, keyId, calls }: DecodedRequest,
  candidate: Candidate,
  upstream: Protocol,
  vendor: Vendor,
  deps: Pick<PrepareDeps, 'reasoning'>,
): Generator<undefined, PreparedRequest> {
  const { translation } = upstream
  const notes = new Notes(protocol.translation.fieldNames, candidate.group.isStrict)
  const target = { ...targetOf(candidate, vendor), calls }
  if (upstream.name !== protocol.name) refuseExtras(asked, protocol.translation, notes)
  const answered = answerCalls(clampLimit(asked, target, notes), notes)
  yield
  const reminded = restoreReasoning(
    nameResults(answered),
    (callId) => deps.reasoning.find(keyId, callId),
    upstream.upstreamSide.takesPlainThoughts?.(target.traits) === true,
  )
  yield
  const { request, restore } = fitTools(reminded, translation.toolRules, notes)
  yield
  const encoded = translation.encodeRequest(request, target, notes)
  yield
  const body = writeJson(encoded)
  const replies = target.traits.replies ?? plainReplies
  const { issuer } = target
  return { body, warnings: notes.warnings, restore, issuer, replies, request: asked }
}

function targetOf({ route, model }: Candidate, vendor: Vendor): Target {
  const { upstreamModel, upstream } = route
  return {
    model: upstreamModel,
    issuer: vendor.issuer(upstreamModel, upstream.baseUrl),
    traits: traitsOf(route, vendor),
    outputTokensMax: model.maxOutputTokens,
  }
}

/** Clients that ask for more than a model can write mean "as much as possible". */
function clampLimit(request: ModelRequest, target: Target, notes: Notes): ModelRequest {
  const { outputTokensMax } = request
  if (outputTokensMax === undefined || outputTokensMax <= target.outputTokensMax) return request
  notes.harmless('outputTokensMax', 'clamped')
  return { ...request, outputTokensMax: target.outputTokensMax }
}
