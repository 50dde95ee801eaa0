import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { ResponseStore } from '../conversations/response-store.ts'
import type { Clock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { protocols } from '../protocols/index.ts'
import type { JsonBody, PathFacts, Protocol, RequestFacts } from '../protocols/protocol.ts'
import { type Candidate, planCandidates } from '../routing/plan.ts'
import type { Caller } from './authenticate.ts'
import { authoriseCaller, authoriseModel } from './authorise.ts'
import type { Call } from './call.ts'
import type { CountQuestion } from './count-tokens.ts'
import type { Exchange } from './exchange.ts'
import { readJsonBody } from './read-json-body.ts'
import { outOfReach, reserve } from './reserve.ts'
import { refersBack, resumeResponse } from './resume-response.ts'
import type { Story } from './story.ts'
import { checkVersionHeader } from './version-header.ts'

export interface AdmitParts {
  readonly catalog: CatalogDirectory
  readonly ledger: Ledger
  readonly clock: Clock
  readonly responses: ResponseStore
  readonly random: () => number
}

export interface ModelEndpoint {
  readonly protocol: ProtocolName
  readonly path: PathFacts
}

/** The checks in the order in which the specification tells them. Each refuses by throwing a Fault. */
export async function admit(
  call: Call,
  caller: Caller,
  endpoint: ModelEndpoint,
  story: Story,
  parts: AdmitParts,
): Promise<Exchange> {
  const protocol = protocols[endpoint.protocol]
  authoriseCaller(caller, call.address, parts.clock.nowMs())
  if (protocol.name === 'messages') checkVersionHeader(call.headers)
  const bytes = await call.readBody()
  let body = readJsonBody(bytes)
  const facts = protocol.passThrough.decodeFacts(body, endpoint.path)
  story.isStream = facts.isStream
  let candidates = plan(caller, facts, story, parts)
  let resumedFrom: string | undefined
  if (refersBack(protocol, body)) {
    const resumed = await resumeResponse(protocol, body, caller, parts.responses)
    body = resumed.body
    resumedFrom = resumed.from
    candidates = pin(candidates, resumed.upstreamId)
  }
  const question = {
    call,
    caller,
    protocol: protocol.name,
    facts,
    // What was said before counts as well, when this gateway has put it in front.
    bodyBytes: Math.max(bytes.length, body.text.length),
    candidates,
  }
  const reserved = reserve(question, parts.ledger)
  const { hold, outputTokensMax, constraint } =
    reserved instanceof Promise ? await reserved : reserved
  try {
    await hold.admitted
  } catch (error) {
    throw outOfReach(error)
  }
  return {
    call,
    caller,
    protocol,
    body,
    facts,
    candidates,
    hold,
    outputTokensMax,
    story,
    resumedFrom,
    constraint,
  }
}

/** The same up to the money: a count is free. */
export async function admitCount(
  call: Call,
  caller: Caller,
  endpoint: ModelEndpoint,
  story: Story,
  parts: AdmitParts,
): Promise<CountQuestion> {
  const protocol = protocols[endpoint.protocol]
  const { counting } = protocol
  if (!counting)
    throw new Fault('not_found', `The ${protocol.name} protocol does not count tokens.`)
  if (protocol.name === 'messages') checkVersionHeader(call.headers)
  let body: JsonBody = readJsonBody(await call.readBody())
  const facts = counting.decodeCount(body, endpoint.path)
  let candidates = plan(caller, facts, story, parts)
  if (refersBack(protocol, body)) {
    ;({ body, candidates } = await resume(protocol, body, caller, candidates, parts))
  }
  return { call, caller, protocol, counting, body, facts, candidates }
}

function plan(
  caller: Caller,
  { model }: RequestFacts,
  story: Story,
  parts: AdmitParts,
): readonly Candidate[] {
  story.model = model
  authoriseModel(caller, model)
  const candidates = planCandidates({
    catalog: parts.catalog.snapshot(),
    groups: caller.key.groups,
    model,
    nowMs: parts.clock.nowMs(),
    random: parts.random,
  })
  story.groupId = candidates[0]?.group.id
  return candidates
}

async function resume(
  protocol: Protocol,
  body: JsonBody,
  caller: Caller,
  candidates: readonly Candidate[],
  { responses }: AdmitParts,
): Promise<{ body: JsonBody; candidates: readonly Candidate[] }> {
  const resumed = await resumeResponse(protocol, body, caller, responses)
  return { body: resumed.body, candidates: pin(candidates, resumed.upstreamId) }
}

/** A response that an upstream keeps can only be gone on from there. */
function pin(candidates: readonly Candidate[], upstreamId: string | undefined) {
  if (upstreamId === undefined) return candidates
  const pinned = candidates.filter(({ route }) => route.upstream.id === upstreamId)
  if (pinned.length > 0) return pinned
  throw new Fault(
    'previous_response_not_found',
    'The upstream that keeps the earlier response no longer serves this model. Send the whole conversation in "input" instead.',
    { param: 'previous_response_id' },
  )
}
