import { timingSafeEqual } from 'node:crypto'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { RequestReason } from '../core/codes.ts'
import { asFault } from '../core/fault.ts'
import type { AccountSlots } from '../core/runtime/account-slots.ts'
import type { RequestSpan } from '../core/telemetry/request-span.ts'
import type { Clock } from '../core/time/clock.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { EndpointKind } from '../protocols/client-calls.ts'
import { protocols } from '../protocols/index.ts'
import type { RecordingDraft } from '../recording/draft.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import { type AdmitDeps, admit, admitCount } from './admit/admit.ts'
import { authenticate, type Caller } from './admit/authenticate.ts'
import { authoriseCaller } from './admit/authorise.ts'
import { findEndpoint } from './admit/endpoint.ts'
import { protocolOfCall } from './admit/protocol-of-call.ts'
import type { Call, GatewayResponse } from './call.ts'
import type { ForwardDeps } from './charge/settle.ts'
import { countTokens } from './count-tokens.ts'
import type { Exchange } from './exchange.ts'
import { forward } from './forward/forward.ts'
import { getModel, listModels } from './list-models.ts'
import { explain } from './operator/explain.ts'
import { recordAnswer } from './reply/record-answer.ts'
import { newRequestTrace, type RequestTrace, usageRecordOf } from './request-trace.ts'
import { answerStored } from './stored-response.ts'

export interface GatewayDeps extends ForwardDeps, AdmitDeps {
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  readonly catalog: CatalogDirectory
  readonly ledger: Ledger
  readonly clock: Clock
  readonly recorder: Pick<Recorder, 'begin'>
  /** The header that marks an estimated count, which no upstream has made. */
  readonly countHeader: string
  /** The token counts that upstreams are making. */
  readonly counts: AccountSlots
  /** The header that requests an explanation instead of an answer. */
  readonly explainHeader: string
  /** The value of that header when the console asks for an operator. It never leaves this process. */
  readonly operatorToken: string
  /** Writes the usage row of a request without a hold. */
  recordUncharged(record: UsageRecord, span: RequestSpan | undefined): void
}

export interface Gateway {
  /** Answers, or throws a Fault. The caller encodes the fault in the protocol of the call. */
  answer(call: Call): GatewayResponse | Promise<GatewayResponse>
}

type ExchangeEndpoint = Extract<EndpointKind, { kind: 'exchange' }>
type ModelRequestEndpoint = Extract<EndpointKind, { kind: 'exchange' | 'count' }>
type FreeEndpoint = Exclude<EndpointKind, { kind: 'exchange' }>

export function createGateway(deps: GatewayDeps): Gateway {
  return {
    answer: (call) => {
      const protocol = protocolOfCall(call.headers, call.path)
      const endpoint = findEndpoint(call, protocol)
      const caller = authenticate(call, deps)
      return caller instanceof Promise
        ? caller.then((known) => answerCaller(call, known, endpoint, deps))
        : answerCaller(call, caller, endpoint, deps)
    },
  }
}

function answerCaller(
  call: Call,
  caller: Caller,
  endpoint: EndpointKind,
  deps: GatewayDeps,
): Promise<GatewayResponse> {
  const isModelRequest = endpoint.kind === 'exchange' || endpoint.kind === 'count'
  const explainValue = isModelRequest ? call.headers.get(deps.explainHeader) : null
  if (isModelRequest && explainValue !== null) {
    const isOperator = isSameText(explainValue, deps.operatorToken)
    if (isOperator || explainValue === 'true')
      return answerExplained(call, caller, endpoint, deps, isOperator)
  }
  return endpoint.kind === 'exchange'
    ? answerExchange(call, caller, endpoint, deps)
    : answerFree(call, caller, endpoint, deps)
}

async function answerExplained(
  call: Call,
  caller: Caller,
  endpoint: ModelRequestEndpoint,
  deps: GatewayDeps,
  isOperator: boolean,
): Promise<GatewayResponse> {
  const trace = traceOf(call, endpoint, deps)
  try {
    const explanation = await explain({ call, caller, endpoint, trace }, deps, isOperator)
    const outcome = { status: explanation.status, code: 'explained' as const }
    recordUncharged(call, caller, endpoint, trace, outcome, deps)
    return explanation
  } catch (error) {
    recordUncharged(call, caller, endpoint, trace, asFault(error), deps)
    throw error
  }
}

function answerExchange(
  call: Call,
  caller: Caller,
  endpoint: ExchangeEndpoint,
  deps: GatewayDeps,
): Promise<GatewayResponse> {
  const trace = traceOf(call, endpoint, deps)
  const draft = beginRecording(call, caller, endpoint, deps)
  if (!draft) return exchange(call, caller, endpoint, trace, deps)
  trace.recording = draft
  return recordAnswer(call, trace, draft, exchange(call, caller, endpoint, trace, deps))
}

async function exchange(
  call: Call,
  caller: Caller,
  endpoint: ExchangeEndpoint,
  trace: RequestTrace,
  deps: GatewayDeps,
): Promise<GatewayResponse> {
  let admitted: Exchange
  try {
    admitted = await admit({ call, caller, endpoint, trace }, deps)
  } catch (error) {
    recordUncharged(call, caller, endpoint, trace, asFault(error), deps)
    throw error
  }
  // `await` takes one microtask here. Returning the promise would take three.
  return await forward(admitted, deps)
}

/** Undefined unless the account records the requests of this key. */
function beginRecording(
  call: Call,
  { key, account }: Caller,
  { protocol }: ExchangeEndpoint,
  { recorder }: GatewayDeps,
): RecordingDraft | undefined {
  const { recordedKeys } = account
  if (recordedKeys === undefined) return undefined
  if (recordedKeys !== 'all' && !recordedKeys.has(key.id)) return undefined
  const { requestId, receivedAtMs } = call
  return recorder.begin({
    requestId,
    atMs: receivedAtMs,
    accountId: account.id,
    keyId: key.id,
    protocol,
  })
}

/** Answers requests that cost nothing: lists, counts, stored responses. They are logged as well. */
async function answerFree(
  call: Call,
  caller: Caller,
  endpoint: FreeEndpoint,
  deps: GatewayDeps,
): Promise<GatewayResponse> {
  const trace = traceOf(call, endpoint, deps)
  try {
    // A count runs the checks of a model request, which include this one.
    if (endpoint.kind !== 'count') authoriseCaller(caller, call, deps.clock.nowMs())
    const answer = await answerKind(call, caller, endpoint, trace, deps)
    recordUncharged(call, caller, endpoint, trace, { status: answer.status }, deps)
    return answer
  } catch (error) {
    recordUncharged(call, caller, endpoint, trace, asFault(error), deps)
    throw error
  }
}

async function answerKind(
  call: Call,
  caller: Caller,
  endpoint: FreeEndpoint,
  trace: RequestTrace,
  deps: GatewayDeps,
): Promise<GatewayResponse> {
  const catalog = deps.catalog.snapshot()
  const nowMs = deps.clock.nowMs()
  switch (endpoint.kind) {
    case 'list-models':
      return listModels(call, caller.key, catalog, nowMs)
    case 'get-model':
      trace.model = endpoint.model
      return getModel(call, caller.key, catalog, endpoint.model, nowMs)
    case 'stored':
      return answerStored(endpoint, caller, catalog, deps)
    case 'count':
      return countTokens(await admitCount({ call, caller, endpoint, trace }, deps), deps)
  }
}

/** Writes one usage row for each request that passed authentication, even without a hold. */
function recordUncharged(
  call: Call,
  caller: Caller,
  endpoint: EndpointKind,
  trace: RequestTrace,
  outcome: { readonly status: number; readonly code?: RequestReason },
  deps: GatewayDeps,
): void {
  const record = usageRecordOf(call, caller, endpoint.protocol, trace, {
    status: outcome.status,
    reason: outcome.code,
    costNano: 0n,
    totalMs: deps.clock.monotonicMs() - call.startedMs,
  })
  deps.recordUncharged(record, trace.span)
}

function traceOf(call: Call, endpoint: EndpointKind, { tracer }: GatewayDeps): RequestTrace {
  if (!tracer) return newRequestTrace()
  const { method, path } = call
  const operation =
    endpoint.kind === 'exchange' ? protocols[endpoint.protocol].operationName : undefined
  return newRequestTrace(tracer.begin(call.headers, { method, path, operation }))
}

/** Compares in constant time. */
function isSameText(given: string, right: string): boolean {
  const [left, wanted] = [Buffer.from(given), Buffer.from(right)]
  return left.length === wanted.length && timingSafeEqual(left, wanted)
}
