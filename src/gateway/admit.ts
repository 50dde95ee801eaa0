import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { ResponseStore } from '../conversations/response-store.ts'
import type { Clock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { protocols } from '../protocols/index.ts'
import type {
  Counting,
  JsonBody,
  PathFacts,
  Protocol,
  RequestFacts,
} from '../protocols/protocol.ts'
import { planCandidates } from '../routing/plan.ts'
import type { Pin, Plan, PlanQuestion } from '../routing/plan-question.ts'
import type { Routing } from '../routing/routing.ts'
import { allowExtras, allowObjects } from './allow-extras.ts'
import type { Caller } from './authenticate.ts'
import { authoriseCaller, authoriseModel } from './authorise.ts'
import { boundInput } from './bound-input.ts'
import type { Call } from './call.ts'
import { RequestConversation } from './conversation.ts'
import type { CountQuestion } from './count-tokens.ts'
import type { Exchange } from './exchange.ts'
import { readJsonBody } from './read-json-body.ts'
import { outOfReach, reserve } from './reserve.ts'
import { refersBack, resumeResponse } from './resume-response.ts'
import type { SharedObjectMemory } from './shared-object-memory.ts'
import type { Story } from './story.ts'
import { checkVersionHeader } from './version-header.ts'

export interface AdmitParts {
  readonly catalog: CatalogDirectory
  readonly ledger: Ledger
  readonly clock: Clock
  readonly responses: ResponseStore
  readonly routing: Routing
  readonly sharedObjects: SharedObjectMemory
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
  const bytes = await call.readBody(caller.account.id)
  const read = readJsonBody(bytes)
  const asked = read instanceof Promise ? await read : read
  let body: JsonBody = asked
  const facts = protocol.passThrough.decodeFacts(body, endpoint.path)
  story.isStream = facts.isStream
  const conversation = conversationOf(call, caller, facts, body, parts)
  let plan = planFor(caller, facts, conversation, story, parts)
  let resumedFrom: string | undefined
  let lastTurnTokens: number | undefined
  if (refersBack(protocol, body)) {
    const resumed = await resumeResponse(protocol, body, caller, facts.model, parts.responses)
    body = resumed.body
    resumedFrom = resumed.from
    lastTurnTokens = resumed.lastTurnTokens
    if (resumed.pin) plan = pinned(caller, facts, resumed.pin, parts)
  }
  plan = allowExtras(plan, protocol.name, facts, caller, parts.sharedObjects)
  // What was said before counts as well, when this gateway has put it in front.
  const bodyBytes = body === asked ? bytes.length : Buffer.byteLength(body.text)
  const input = boundInput(protocol, body, bodyBytes, lastTurnTokens)
  const { candidates } = plan
  const question = { call, caller, client: protocol.name, facts, input, candidates }
  const reserved = reserve(question, parts.ledger)
  const { hold, outputTokensMax, constraint, callsMax } =
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
    plan,
    conversation,
    input,
    hold,
    outputTokensMax,
    story,
    resumedFrom,
    constraint,
    callsMax,
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
  const counting = countingOf(protocol)
  if (protocol.name === 'messages') checkVersionHeader(call.headers)
  let body: JsonBody = await readJsonBody(await call.readBody(caller.account.id))
  const facts = counting.decodeCount(body, endpoint.path)
  const conversation = conversationOf(call, caller, facts, body, parts)
  let plan = planFor(caller, facts, conversation, story, parts)
  if (refersBack(protocol, body)) {
    const resumed = await resumeResponse(protocol, body, caller, facts.model, parts.responses)
    body = resumed.body
    if (resumed.pin) plan = pinned(caller, facts, resumed.pin, parts)
  }
  const { candidates } = allowObjects(plan, facts, caller, parts.sharedObjects)
  return { call, caller, protocol, counting, body, facts, candidates }
}

export function countingOf({ name, counting }: Protocol): Counting {
  if (!counting) throw new Fault('not_found', `The ${name} protocol does not count tokens.`)
  return counting
}

export function conversationOf(
  { headers }: Call,
  { key }: Caller,
  { model }: RequestFacts,
  body: JsonBody,
  { routing }: AdmitParts,
): RequestConversation {
  return new RequestConversation(routing.sticky, { keyId: key.id, model }, headers, body)
}

function planFor(
  caller: Caller,
  { model }: RequestFacts,
  conversation: RequestConversation,
  story: Story,
  parts: AdmitParts,
): Plan {
  story.model = model
  authoriseModel(caller, model)
  const plan = planCandidates(planQuestion(caller, model, conversation, undefined, parts))
  story.groupId = plan.candidates[0]?.group.id
  return plan
}

/** A response that an upstream keeps can only be gone on from there, by the organisation that it was made for. */
export function pinned(caller: Caller, { model }: RequestFacts, pin: Pin, parts: AdmitParts): Plan {
  const plan = planCandidates(planQuestion(caller, model, undefined, pin, parts))
  if (plan.candidates.length > 0) return plan
  throw new Fault(
    'previous_response_not_found',
    'The upstream that keeps the earlier response no longer serves this model, or has it for another credential than it has now. Send the whole conversation in "input" instead.',
    { param: 'previous_response_id' },
  )
}

export function planQuestion(
  { key, account }: Caller,
  model: string,
  conversation: RequestConversation | undefined,
  pin: Pin | undefined,
  { catalog, clock, routing }: AdmitParts,
): PlanQuestion {
  return {
    catalog: catalog.snapshot(),
    health: routing.health,
    accountId: account.id,
    groups: key.groups,
    models: key.models,
    model,
    nowMs: clock.nowMs(),
    monotonicMs: clock.monotonicMs(),
    random: routing.random,
    conversation,
    pin,
  }
}
