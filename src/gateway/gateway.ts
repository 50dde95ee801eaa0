import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { Clock } from '../core/clock.ts'
import { asFault, Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { protocols } from '../protocols/index.ts'
import { planCandidates } from '../routing/plan.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { authoriseCaller, authoriseModel } from './authorise.ts'
import type { Answer, Call } from './call.ts'
import { type Endpoint, findEndpoint } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { forward } from './forward.ts'
import { getModel, listModels, protocolOfCall } from './list-models.ts'
import { readJsonBody } from './read-json-body.ts'
import { outOfReach, reserve } from './reserve.ts'
import type { ForwardParts } from './settling.ts'
import { newStory, type Story, usageRecordOf } from './story.ts'
import { checkVersionHeader } from './version-header.ts'

export interface GatewayParts extends ForwardParts {
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  readonly catalog: CatalogDirectory
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: () => number
  /** Writes the row of a request that never held money. */
  recordUncharged(record: UsageRecord): void
}

export interface Gateway {
  /** Answers, or throws a Fault; whoever calls gives that the shape of `protocolOf(call)`. */
  answer(call: Call): Answer | Promise<Answer>
}

export function createGateway(parts: GatewayParts): Gateway {
  return {
    answer: (call) => {
      const protocol = protocolOfCall(call.headers, call.path)
      const endpoint = findEndpoint(call.method, call.path, protocol)
      const caller = authenticate(call, parts)
      return caller instanceof Promise
        ? caller.then((known) => answerCaller(call, known, endpoint, parts))
        : answerCaller(call, caller, endpoint, parts)
    },
  }
}

function answerCaller(
  call: Call,
  caller: Caller,
  endpoint: Endpoint,
  parts: GatewayParts,
): Answer | Promise<Answer> {
  if (endpoint.kind === 'exchange') return answerExchange(call, caller, endpoint.protocol, parts)
  const story = newStory()
  if (endpoint.kind === 'get-model') story.model = endpoint.model
  try {
    authoriseCaller(caller, call.address, parts.clock.nowMs())
    const answer = answerModels(call, caller, endpoint, parts)
    recordUncharged(call, caller, endpoint.protocol, story, { status: answer.status }, parts)
    return answer
  } catch (error) {
    recordUncharged(call, caller, endpoint.protocol, story, asFault(error), parts)
    throw error
  }
}

function answerModels(
  call: Call,
  caller: Caller,
  endpoint: Exclude<Endpoint, { kind: 'exchange' }>,
  parts: GatewayParts,
): Answer {
  const catalog = parts.catalog.snapshot()
  if (endpoint.kind === 'list-models') return listModels(call, caller.key, catalog)
  return getModel(call, caller.key, catalog, endpoint.model)
}

async function answerExchange(
  call: Call,
  caller: Caller,
  protocolName: ProtocolName,
  parts: GatewayParts,
): Promise<Answer> {
  const story = newStory()
  let exchange: Exchange
  try {
    exchange = await admit(call, caller, protocolName, story, parts)
  } catch (error) {
    recordUncharged(call, caller, protocolName, story, asFault(error), parts)
    throw error
  }
  // Waiting here is one step of the event loop's queue; handing the promise on would be three.
  return await forward(exchange, parts)
}

/** The checks in the order in which the specification tells them. Each refuses by throwing a Fault. */
async function admit(
  call: Call,
  caller: Caller,
  protocolName: ProtocolName,
  story: Story,
  parts: GatewayParts,
): Promise<Exchange> {
  const nowMs = parts.clock.nowMs()
  const protocol = protocols[protocolName]
  const { passThrough } = protocol
  authoriseCaller(caller, call.address, nowMs)
  if (protocolName === 'messages') checkVersionHeader(call.headers)
  if (!passThrough) throw notServed(protocolName)
  const bytes = await call.readBody()
  const body = readJsonBody(bytes)
  const facts = passThrough.decodeFacts(body)
  story.model = facts.model
  story.isStream = facts.isStream
  authoriseModel(caller, facts.model)
  const catalog = parts.catalog.snapshot()
  const candidates = planCandidates({
    catalog,
    groups: caller.key.groups,
    model: facts.model,
    nowMs,
    random: parts.random,
  })
  story.groupId = candidates[0]?.group.id
  const question = {
    call,
    caller,
    protocol: protocolName,
    facts,
    bodyBytes: bytes.length,
    candidates,
  }
  const reserved = reserve(question, parts.ledger)
  const { hold, outputTokensMax } = reserved instanceof Promise ? await reserved : reserved
  try {
    await hold.admitted
  } catch (error) {
    throw outOfReach(error)
  }
  return {
    call,
    caller,
    protocol,
    passThrough,
    body,
    facts,
    candidates,
    hold,
    outputTokensMax,
    story,
  }
}

/** One row for each request that passed authentication, also for one that never held money. */
function recordUncharged(
  call: Call,
  caller: Caller,
  protocolName: ProtocolName,
  story: Story,
  outcome: { readonly status: number; readonly code?: string },
  parts: GatewayParts,
): void {
  const record = usageRecordOf(call, caller, protocolName, story, {
    status: outcome.status,
    reason: outcome.code,
    costNano: 0n,
    totalMs: parts.clock.monotonicMs() - call.startedMs,
  })
  parts.recordUncharged(record)
}

function notServed(protocol: ProtocolName): Fault {
  return new Fault(
    'not_found',
    `This version of the gateway does not serve the ${protocol} protocol yet. Use POST /v1/chat/completions.`,
  )
}
