import type { CatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { ResponseStore } from '../../conversations/response-store.ts'
import type { RequestCheck } from '../../core/codes.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { EndpointKind } from '../../protocols/client-calls.ts'
import { protocols } from '../../protocols/index.ts'
import type { Counting, Protocol } from '../../protocols/protocol.ts'
import type { JsonBody, RequestFacts } from '../../protocols/request-facts.ts'
import { planCandidates, withoutSpares } from '../../routing/plan.ts'
import type { Plan, PlanParams } from '../../routing/plan-params.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Call } from '../call.ts'
import type { RequestTrace } from '../request-trace.ts'
import { allowExtras, allowObjects } from './allow-extras.ts'
import type { Caller } from './authenticate.ts'
import { authoriseCaller, authoriseModel } from './authorise.ts'
import { boundInput, type InputBound } from './bound-input.ts'
import { RequestConversation } from './conversation.ts'
import { endUsersIn } from './end-users.ts'
import { readJsonBody } from './read-json-body.ts'
import { refersBack, resumeResponse } from './resume-response.ts'
import type { SharedObjectMemory } from './shared-object-memory.ts'

export interface CheckDeps {
  readonly catalog: CatalogDirectory
  readonly clock: Clock
  readonly responses: ResponseStore
  mint(prefix: string): string
  readonly routing: Routing
  readonly sharedObjects: SharedObjectMemory
}

/** A request to a model, for an answer or for a count of its tokens. */
export type ModelEndpoint = Extract<EndpointKind, { kind: 'exchange' | 'count' }>

/** A request and its caller. The key has been checked already, because it identifies the caller. */
export interface CheckParams {
  readonly call: Call
  readonly caller: Caller
  readonly endpoint: ModelEndpoint
  readonly trace: RequestTrace
}

/** The progress of the checks, and their findings. After a refusal, `check` is the check that refused. */
export interface CheckProgress {
  check?: RequestCheck
  facts?: RequestFacts
  planParams?: PlanParams
  plan?: Plan
}

/** A request that has passed every check except the one for money. */
export interface CheckedRequest extends CheckParams {
  readonly protocol: Protocol
  /** The complete body: an earlier response that this gateway stores has been inserted. */
  readonly body: JsonBody
  readonly bodyBytes: number
  readonly facts: RequestFacts
  readonly plan: Plan
  /** What the plan was made from. */
  readonly planParams: PlanParams
  readonly conversation: RequestConversation
  /** The id that the body no longer contains, because the earlier response itself has been inserted. */
  readonly resumedFrom: string | undefined
  readonly lastTurnTokens: number | undefined
}

/**
 * Runs the checks in the order of the specification: for a request, a count or an explanation. Each check refuses by
 * throwing a Fault. `takeMoney` does the last steps, the rate limits and the hold; a count needs none.
 */
export async function checkRequest<Outcome>(
  params: CheckParams,
  deps: CheckDeps,
  progress: CheckProgress,
  takeMoney: (request: CheckedRequest) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { call, caller, endpoint, trace } = params
  const protocol = protocols[endpoint.protocol]
  progress.check = 'account and address'
  authoriseCaller(caller, call, deps.clock.nowMs())

  progress.check = 'body'
  protocol.clientCalls.checkHeaders?.(call.headers)
  const bytes = await call.readBody(caller.account.id)
  trace.recording?.takeRequest(bytes)
  const read = readJsonBody(bytes, deps.mint)
  const asked = read instanceof Promise ? await read : read
  if (trace.recording) trace.recording.nameEndUsers(endUsersIn(asked.value, protocol))
  const facts = decodeFacts(protocol, endpoint, asked)
  progress.facts = facts
  trace.isStream = facts.isStream
  trace.model = facts.model

  progress.check = 'model list of the key'
  authoriseModel(caller, facts.model)

  progress.check = 'groups, catalogue and price'
  const conversation = conversationOf(params, protocol, asked, deps)
  let planParams = planParamsOf(params, facts.model, conversation, deps)
  progress.planParams = planParams
  let plan = planCandidates(planParams)
  progress.plan = plan
  trace.groupId = plan.candidates[0]?.group.id

  let body: JsonBody = asked
  let resumedFrom: string | undefined
  let lastTurnTokens: number | undefined
  if (refersBack(protocol, asked)) {
    progress.check = 'earlier response'
    const resumed = await resumeResponse(protocol, asked, caller, deps)
    body = resumed.body
    resumedFrom = resumed.from
    const { pin } = resumed
    if (pin) {
      planParams = { ...planParams, conversation: undefined, pin }
      progress.planParams = planParams
      plan = pinnedPlan(planParams)
      // Another model would count other tokens.
      const isSame = plan.candidates.every(({ model }) => model.id === pin.model)
      lastTurnTokens = isSame ? resumed.lastTurnTokens : undefined
    }
  }

  progress.check = 'features and shared objects'
  plan = allowedPlan(plan, facts, params, deps)
  progress.plan = plan

  // Earlier turns that this gateway has inserted count as well.
  const bodyBytes = body === asked ? bytes.length : byteLengthOf(body)
  return await takeMoney({
    call,
    caller,
    endpoint,
    trace,
    protocol,
    body,
    bodyBytes,
    facts,
    plan,
    planParams,
    conversation,
    resumedFrom,
    lastTurnTokens,
  })
}

/** A request that the requested model may not serve is refused: spare fallback models do not take it. */
function allowedPlan(
  plan: Plan,
  facts: RequestFacts,
  { caller, endpoint }: CheckParams,
  { sharedObjects }: CheckDeps,
): Plan {
  const allow = (of: Plan) =>
    endpoint.kind === 'count'
      ? allowObjects(of, facts, caller, sharedObjects)
      : allowExtras(of, endpoint.protocol, facts, caller, sharedObjects)
  const own = withoutSpares(plan, facts.model)
  if (own !== plan) allow(own)
  return allow(plan)
}

function byteLengthOf({ text, cuts }: JsonBody): number {
  return cuts ? cuts.bytes.length : Buffer.byteLength(text)
}

export function inputOf({
  protocol,
  body,
  bodyBytes,
  lastTurnTokens,
}: Omit<CheckedRequest, keyof CheckParams>): InputBound {
  return boundInput(protocol, body, bodyBytes, lastTurnTokens)
}

function decodeFacts(
  protocol: Protocol,
  { kind, path }: ModelEndpoint,
  body: JsonBody,
): RequestFacts {
  if (kind === 'exchange') return protocol.passThrough.decodeFacts(body, path)
  return countingOf(protocol).decodeCount(body, path)
}

export function countingOf({ name, counting }: Protocol): Counting {
  if (!counting) throw new Fault('not_found', `The ${name} protocol does not count tokens.`)
  return counting
}

function conversationOf(
  { call, caller }: CheckParams,
  { opening }: Protocol,
  body: JsonBody,
  { routing }: CheckDeps,
): RequestConversation {
  return new RequestConversation(routing.sticky, caller.key.id, call.headers, body, opening)
}

function planParamsOf(
  { caller: { key, account }, endpoint }: CheckParams,
  model: string,
  conversation: RequestConversation,
  { catalog, clock, routing }: CheckDeps,
): PlanParams {
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
    pin: undefined,
    // A count needs no slot.
    mayWait: endpoint.kind === 'count' || routing.queue !== undefined,
  }
}

/** A response that an upstream stores can be continued only there, by the organisation that it was made for. */
function pinnedPlan(params: PlanParams): Plan {
  const plan = planCandidates(params)
  if (plan.candidates.length > 0) return plan
  throw new Fault(
    'previous_response_not_found',
    'The upstream that keeps the earlier response no longer serves this model, or has it for another credential than it has now. Send the whole conversation in "input" instead.',
    { param: 'previous_response_id' },
  )
}
