import type { Ledger } from '../../ledger/ledger.ts'
import type { Permit } from '../../limits/limiter.ts'
import { areSpare, requestedPart } from '../../routing/plan.ts'
import type { CountParams } from '../count-tokens.ts'
import type { Exchange } from '../exchange.ts'
import type { InputBound } from './bound-input.ts'
import {
  type CheckDeps,
  type CheckedRequest,
  type CheckParams,
  type CheckProgress,
  checkRequest,
  countingOf,
  inputOf,
} from './check-request.ts'
import { ledgerFault } from './ledger-fault.ts'
import { type LimitDeps, takePermit } from './rate-limit.ts'
import { reserve } from './reserve.ts'

export interface AdmitDeps extends CheckDeps, LimitDeps {
  readonly ledger: Ledger
}

/** Runs every check and holds the most money that the request can cost. */
export function admit(params: CheckParams, deps: AdmitDeps): Promise<Exchange> {
  const progress: CheckProgress = {}
  return checkRequest(params, deps, progress, (request) => holdMoney(request, progress, deps))
}

/** The same without the hold: a count is free. */
export function admitCount(params: CheckParams, deps: CheckDeps): Promise<CountParams> {
  return checkRequest(params, deps, {}, (request) => {
    const { call, caller, protocol, body, facts, plan } = request
    // A count needs no slot of a full upstream, and a fallback model counts other tokens.
    const { candidates } = requestedPart(plan, facts.model)
    return { call, caller, protocol, counting: countingOf(protocol), body, facts, candidates }
  })
}

async function holdMoney(
  request: CheckedRequest,
  progress: CheckProgress,
  deps: AdmitDeps,
): Promise<Exchange> {
  const input = inputOf(request)
  progress.check = 'rate limits'
  const taken = takePermit(request, input, deps)
  const permit = taken instanceof Promise ? await taken : taken
  progress.check = 'credit and quota'
  try {
    return await holdFor(request, input, permit, deps)
  } catch (error) {
    permit?.giveBack()
    throw error
  }
}

async function holdFor(
  request: CheckedRequest,
  input: InputBound,
  permit: Permit | undefined,
  { ledger }: AdmitDeps,
): Promise<Exchange> {
  const { call, caller, protocol, body, facts, planParams } = request
  const { conversation, trace, resumedFrom } = request
  const { plan } = request
  const own = requestedPart(plan, facts.model)
  const hasSpares = areSpare(own, plan)
  const { candidates } = hasSpares ? own : plan
  const cheaper = hasSpares || own === plan ? undefined : own.candidates
  const params = { call, caller, client: protocol.name, facts, input, candidates, cheaper }
  const reserved = reserve(params, ledger)
  const given = reserved instanceof Promise ? await reserved : reserved
  const { hold, outputTokensMax, constraint, callsMax } = given
  // If money is short for the requested model, there is none for fallback models.
  const isShort = constraint !== undefined || callsMax !== undefined
  const isOwn = hasSpares ? isShort : given.candidates === cheaper
  try {
    await hold.admitted
  } catch (error) {
    throw ledgerFault(error)
  }
  return {
    call,
    caller,
    protocol,
    body,
    facts,
    plan: isOwn ? own : plan,
    planParams: isOwn ? { ...planParams, withoutFallbacks: true } : planParams,
    conversation,
    input,
    hold,
    coversSpares: !hasSpares || isOwn,
    outputTokensMax,
    trace,
    resumedFrom,
    constraint,
    callsMax,
    permit,
    skipped: [],
  }
}
