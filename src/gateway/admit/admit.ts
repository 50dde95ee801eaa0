import type { Ledger } from '../../ledger/ledger.ts'
import type { Permit } from '../../limits/limiter.ts'
import { withoutSpares } from '../../routing/plan.ts'
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
    const { candidates } = plan
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
  const lean = withoutSpares(request.plan, facts.model)
  const params = {
    call,
    caller,
    client: protocol.name,
    facts,
    input,
    candidates: request.plan.candidates,
    withoutSpares: lean === request.plan ? undefined : lean.candidates,
  }
  const reserved = reserve(params, ledger)
  const { hold, candidates, outputTokensMax, constraint, callsMax } =
    reserved instanceof Promise ? await reserved : reserved
  const isLean = candidates !== request.plan.candidates
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
    plan: isLean ? lean : request.plan,
    planParams: isLean ? { ...planParams, withoutFallbacks: true } : planParams,
    conversation,
    input,
    hold,
    outputTokensMax,
    trace,
    resumedFrom,
    constraint,
    callsMax,
    permit,
    skipped: [],
  }
}
