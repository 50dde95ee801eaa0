import type { RequestCheck } from '../../core/codes.ts'
import { Fault } from '../../core/fault.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import { listLeftOut } from '../../routing/list-left-out.ts'
import { areSpare, requestedPart } from '../../routing/plan.ts'
import type { Plan, PlanParams } from '../../routing/plan-params.ts'
import type { AdmitDeps } from '../admit/admit.ts'
import {
  type CheckedRequest,
  type CheckParams,
  type CheckProgress,
  checkRequest,
  inputOf,
} from '../admit/check-request.ts'
import { type HoldPreview, previewHold } from '../admit/preview-hold.ts'
import { previewLimits } from '../admit/rate-limit.ts'
import { sizeHold } from '../admit/size-hold.ts'
import type { Call, GatewayResponse } from '../call.ts'
import {
  describeCandidate,
  describeHold,
  describeLeftOut,
  describePrices,
  describeStep,
  describeWait,
} from './describe-plan.ts'

interface Check {
  readonly check: RequestCheck
  readonly passed: boolean
  readonly code?: string
  readonly message?: string
  readonly param?: string | undefined
}

/** The findings of the checks, until all have passed or one has refused. */
class Findings implements CheckProgress {
  readonly checks: Check[] = []
  facts?: RequestFacts
  planParams?: PlanParams
  plan?: Plan
  /** Undefined for a request that costs nothing. */
  money?: HoldPreview
  #check: RequestCheck = 'key'

  /** The start of a check means that the previous one has passed. */
  set check(next: RequestCheck) {
    this.passed()
    this.#check = next
  }

  passed(): void {
    this.checks.push({ check: this.#check, passed: true })
  }

  refused({ code, message, details }: Fault): void {
    const { param } = details
    this.checks.push({ check: this.#check, passed: false, code, message, param })
  }
}

/**
 * Explains a request: the checks that it passes and the one that refuses it, the candidates in order with reasons, the
 * candidates left out, the hold, and the prices. Nothing is sent or held. Only an operator sees the upstreams, because
 * customers hold keys.
 */
export async function explain(
  params: CheckParams,
  deps: AdmitDeps,
  isOperator: boolean,
): Promise<GatewayResponse> {
  const findings = new Findings()
  const { trace, call } = params
  try {
    await checkRequest(params, deps, findings, (request) => forecastHold(request, findings, deps))
    findings.passed()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    findings.refused(error)
  }
  trace.groupId = findings.plan?.candidates[0]?.group.id
  const { plan, facts } = findings
  const mayWait = params.endpoint.kind === 'exchange' && plan && facts
  const waiting = mayWait && { queue: deps.routing.queue, isOperator, facts }
  const queue = waiting ? describeWait(plan, params.caller, waiting) : undefined
  const body = JSON.stringify({ ...describe(findings, call, isOperator), queue }, undefined, 2)
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

async function forecastHold(
  request: CheckedRequest,
  findings: Findings,
  deps: AdmitDeps,
): Promise<void> {
  const { caller, endpoint, protocol, facts, plan } = request
  if (endpoint.kind === 'count') return
  const input = inputOf(request)
  findings.check = 'rate limits'
  await previewLimits(request, input, deps)
  findings.check = 'credit and quota'
  const asked = { client: protocol.name, facts, input }
  const holdOf = (of: Plan) =>
    previewHold(caller, { ...asked, candidates: of.candidates }, deps.ledger)
  const own = requestedPart(plan, facts.model)
  const hasSpares = areSpare(own, plan)
  findings.money = await holdOf(hasSpares ? own : plan)
  if (findings.money.refusal && own !== plan && !hasSpares) {
    findings.plan = own
    findings.money = await holdOf(own)
  }
  if (findings.money.refusal) throw findings.money.refusal
  // The hold is extended only if the limits of credentials leave the request to a fallback model.
  if (hasSpares && !(await isCovered(plan))) findings.plan = own

  async function isCovered({ candidates }: Plan): Promise<boolean> {
    const { amountNano, constraint, refusal } = await holdOf(plan)
    const isWhole = amountNano === sizeHold({ ...asked, candidates }).amountNano
    return isWhole && !constraint && !refusal
  }
}

function describe(findings: Findings, { requestId }: Call, isOperator: boolean): object {
  const { checks, facts, planParams: params, plan, money } = findings
  const leftOut = params ? listLeftOut(params, plan) : []
  return {
    object: 'explanation',
    request_id: requestId,
    forwarded: false,
    charged: false,
    model: facts?.model,
    stream: facts?.isStream,
    checks,
    tried: plan?.candidates.map((candidate, index) => {
      const isFallback = params !== undefined && candidate.model.id !== params.model
      const why = {
        why: plan.reasons[index] ?? 'only',
        ...(isFallback && { fallback_from: params.model }),
      }
      return isOperator ? describeCandidate(candidate, why) : describeStep(candidate, why)
    }),
    left_out: params && (isOperator ? leftOut : describeLeftOut(leftOut)),
    hold: money && describeHold(money),
    prices: plan && describePrices(plan.candidates),
  }
}
