import { timingSafeEqual } from 'node:crypto'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { Clock } from '../core/clock.ts'
import type { RequestReason } from '../core/codes.ts'
import { asFault } from '../core/fault.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Endpoint } from '../protocols/client-calls.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import { type AdmitParts, admit, admitCount } from './admit/admit.ts'
import { authenticate, type Caller } from './admit/authenticate.ts'
import { authoriseCaller } from './admit/authorise.ts'
import { findEndpoint } from './admit/endpoint.ts'
import { protocolOfCall } from './admit/protocol-of-call.ts'
import type { Answer, Call } from './call.ts'
import type { ForwardParts } from './charge/settling.ts'
import { countTokens } from './count-tokens.ts'
import type { Exchange } from './exchange.ts'
import { forward } from './forward/forward.ts'
import { getModel, listModels } from './list-models.ts'
import { explain } from './operator/explain.ts'
import { answerStored } from './stored-response.ts'
import { newStory, type Story, usageRecordOf } from './story.ts'

export interface GatewayParts extends ForwardParts, AdmitParts {
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  readonly catalog: CatalogDirectory
  readonly ledger: Ledger
  readonly clock: Clock
  /** The header that marks a count that no upstream has made. */
  readonly countHeader: string
  /** The header that asks what would be done, instead of doing it. */
  readonly explainHeader: string
  /** What stands in that header when the console asks for an operator; nobody outside this process knows the word. */
  readonly operatorWord: string
  /** Writes the row of a request that never held money. */
  recordUncharged(record: UsageRecord): void
}

export interface Gateway {
  /** Answers, or throws a Fault; whoever calls gives that the shape of `protocolOf(call)`. */
  answer(call: Call): Answer | Promise<Answer>
}

type ExchangeEndpoint = Extract<Endpoint, { kind: 'exchange' }>
type ModelRequestEndpoint = Extract<Endpoint, { kind: 'exchange' | 'count' }>
type FreeEndpoint = Exclude<Endpoint, { kind: 'exchange' }>

export function createGateway(parts: GatewayParts): Gateway {
  return {
    answer: (call) => {
      const protocol = protocolOfCall(call.headers, call.path)
      const endpoint = findEndpoint(call, protocol)
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
): Promise<Answer> {
  const isModelRequest = endpoint.kind === 'exchange' || endpoint.kind === 'count'
  const wish = isModelRequest ? call.headers.get(parts.explainHeader) : null
  if (isModelRequest && wish !== null) {
    const isOperator = isSameText(wish, parts.operatorWord)
    if (isOperator || wish === 'true')
      return answerExplained(call, caller, endpoint, parts, isOperator)
  }
  return endpoint.kind === 'exchange'
    ? answerExchange(call, caller, endpoint, parts)
    : answerFree(call, caller, endpoint, parts)
}

async function answerExplained(
  call: Call,
  caller: Caller,
  endpoint: ModelRequestEndpoint,
  parts: GatewayParts,
  isOperator: boolean,
): Promise<Answer> {
  const story = newStory()
  try {
    const explanation = await explain({ call, caller, endpoint, story }, parts, isOperator)
    const outcome = { status: explanation.status, code: 'explained' as const }
    recordUncharged(call, caller, endpoint, story, outcome, parts)
    return explanation
  } catch (error) {
    recordUncharged(call, caller, endpoint, story, asFault(error), parts)
    throw error
  }
}

async function answerExchange(
  call: Call,
  caller: Caller,
  endpoint: ExchangeEndpoint,
  parts: GatewayParts,
): Promise<Answer> {
  const story = newStory()
  let exchange: Exchange
  try {
    exchange = await admit({ call, caller, endpoint, story }, parts)
  } catch (error) {
    recordUncharged(call, caller, endpoint, story, asFault(error), parts)
    throw error
  }
  // Waiting here is one step of the event loop's queue; handing the promise on would be three.
  return await forward(exchange, parts)
}

/** What costs nothing: lists, counts, reading back. It stands in the log all the same. */
async function answerFree(
  call: Call,
  caller: Caller,
  endpoint: FreeEndpoint,
  parts: GatewayParts,
): Promise<Answer> {
  const story = newStory()
  try {
    // A request to a model has its own list of checks.
    if (endpoint.kind !== 'count') authoriseCaller(caller, call.address, parts.clock.nowMs())
    const answer = await answerKind(call, caller, endpoint, story, parts)
    recordUncharged(call, caller, endpoint, story, { status: answer.status }, parts)
    return answer
  } catch (error) {
    recordUncharged(call, caller, endpoint, story, asFault(error), parts)
    throw error
  }
}

async function answerKind(
  call: Call,
  caller: Caller,
  endpoint: FreeEndpoint,
  story: Story,
  parts: GatewayParts,
): Promise<Answer> {
  const catalog = parts.catalog.snapshot()
  const nowMs = parts.clock.nowMs()
  switch (endpoint.kind) {
    case 'list-models':
      return listModels(call, caller.key, catalog, nowMs)
    case 'get-model':
      story.model = endpoint.model
      return getModel(call, caller.key, catalog, endpoint.model, nowMs)
    case 'stored':
      return answerStored(endpoint, caller, catalog, parts)
    case 'count':
      return countTokens(await admitCount({ call, caller, endpoint, story }, parts), parts)
  }
}

/** One row for each request that passed authentication, also for one that never held money. */
function recordUncharged(
  call: Call,
  caller: Caller,
  endpoint: Endpoint,
  story: Story,
  outcome: { readonly status: number; readonly code?: RequestReason },
  parts: GatewayParts,
): void {
  const record = usageRecordOf(call, caller, endpoint.protocol, story, {
    status: outcome.status,
    reason: outcome.code,
    costNano: 0n,
    totalMs: parts.clock.monotonicMs() - call.startedMs,
  })
  parts.recordUncharged(record)
}

/** In a time that does not depend on how much of it is right. */
function isSameText(given: string, right: string): boolean {
  const [left, wanted] = [Buffer.from(given), Buffer.from(right)]
  return left.length === wanted.length && timingSafeEqual(left, wanted)
}
