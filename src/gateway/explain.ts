import { Fault } from '../core/fault.ts'
import { protocols } from '../protocols/index.ts'
import type { JsonBody, Protocol, RequestFacts } from '../protocols/protocol.ts'
import { listLeftOut } from '../routing/list-left-out.ts'
import { planCandidates } from '../routing/plan.ts'
import type { Plan, PlanQuestion } from '../routing/plan-question.ts'
import {
  type AdmitParts,
  conversationOf,
  countingOf,
  type ModelEndpoint,
  pinned,
  planQuestion,
} from './admit.ts'
import { allowExtras, allowObjects } from './allow-extras.ts'
import type { Caller } from './authenticate.ts'
import { authoriseCaller, authoriseModel } from './authorise.ts'
import { boundInput } from './bound-input.ts'
import type { Answer, Call } from './call.ts'
import {
  describeCandidate,
  describeHold,
  describeLeftOut,
  describePrices,
  describeStep,
} from './describe-plan.ts'
import { type ForeseenMoney, foreseeMoney } from './foresee-money.ts'
import { readJsonBody } from './read-json-body.ts'
import { type Resumed, refersBack, resumeResponse } from './resume-response.ts'
import type { Story } from './story.ts'
import { checkVersionHeader } from './version-header.ts'

type ExplainedEndpoint = ModelEndpoint & { readonly kind: 'exchange' | 'count' }

interface Check {
  readonly check: string
  readonly passed: boolean
  readonly code?: string
  readonly message?: string
  readonly param?: string | undefined
}

/** What became known before all checks had passed, or one refused. */
interface Findings {
  readonly checks: Check[]
  facts?: RequestFacts
  question?: PlanQuestion
  plan?: Plan
  /** Undefined for a request that costs nothing. */
  money?: ForeseenMoney
}

/**
 * What would be done with a request: every check that it passes and the one that it does not, who would be tried in
 * which order and why, who not, what would be set aside, and the prices. Nothing is sent and nothing is held. Only an
 * operator is told which upstreams these are: a key is in the hands of a customer.
 */
export async function explain(
  call: Call,
  caller: Caller,
  endpoint: ExplainedEndpoint,
  story: Story,
  parts: AdmitParts,
  isOperator: boolean,
): Promise<Answer> {
  const findings: Findings = { checks: [{ check: 'key', passed: true }] }
  try {
    await find(findings, call, caller, endpoint, story, parts)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
  const body = JSON.stringify(describe(findings, call, isOperator), undefined, 2)
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** The checks of `admit` and `admitCount`, in their order. */
async function find(
  findings: Findings,
  call: Call,
  caller: Caller,
  endpoint: ExplainedEndpoint,
  story: Story,
  parts: AdmitParts,
): Promise<void> {
  const protocol = protocols[endpoint.protocol]
  const check = checkInto(findings.checks)
  await check('account and address', () =>
    authoriseCaller(caller, call.address, parts.clock.nowMs()),
  )
  const asked = await check('body', async () => {
    if (protocol.name === 'messages') checkVersionHeader(call.headers)
    const bytes = await call.readBody(caller.account.id)
    const body = await readJsonBody(bytes)
    return { body, bytes, facts: decodeFacts(protocol, endpoint, body) }
  })
  const { facts } = asked
  findings.facts = facts
  story.isStream = facts.isStream
  story.model = facts.model
  await check('model list of the key', () => authoriseModel(caller, facts.model))
  const conversation = conversationOf(call, caller, facts, asked.body, parts)
  const question = planQuestion(caller, facts.model, conversation, undefined, parts)
  findings.question = question
  let plan = await check('groups, catalogue and price', () => planCandidates(question))
  findings.plan = plan
  let { body } = asked
  let lastTurnTokens: number | undefined
  if (refersBack(protocol, body)) {
    const whole = await check('earlier response', () =>
      resume(protocol, body, caller, facts, parts),
    )
    body = whole.body
    lastTurnTokens = whole.lastTurnTokens
    if (whole.plan) {
      plan = whole.plan
      findings.question = { ...question, pin: whole.pin }
    }
  }
  plan = await check('features and shared objects', () =>
    endpoint.kind === 'count'
      ? allowObjects(plan, facts, caller, parts.sharedObjects)
      : allowExtras(plan, protocol.name, facts, caller, parts.sharedObjects),
  )
  findings.plan = plan
  story.groupId = plan.candidates[0]?.group.id
  if (endpoint.kind === 'count') return
  const bodyBytes = body === asked.body ? asked.bytes.length : Buffer.byteLength(body.text)
  await check('credit and quota', async () => {
    const input = boundInput(protocol, body, bodyBytes, lastTurnTokens)
    const { candidates } = plan
    const question = { client: protocol.name, facts, input, candidates }
    findings.money = await foreseeMoney(caller, question, parts.ledger)
    if (findings.money.refusal) throw findings.money.refusal
  })
}

function decodeFacts(
  protocol: Protocol,
  { kind, path }: ExplainedEndpoint,
  body: JsonBody,
): RequestFacts {
  if (kind === 'exchange') return protocol.passThrough.decodeFacts(body, path)
  return countingOf(protocol).decodeCount(body, path)
}

async function resume(
  protocol: Protocol,
  body: JsonBody,
  caller: Caller,
  facts: RequestFacts,
  parts: AdmitParts,
): Promise<Resumed & { readonly plan: Plan | undefined }> {
  const resumed = await resumeResponse(protocol, body, caller, facts.model, parts.responses)
  return { ...resumed, plan: resumed.pin && pinned(caller, facts, resumed.pin, parts) }
}

/** Runs a step and notes how it went; a refusal ends the explanation, and is part of it. */
function checkInto(checks: Check[]) {
  return async <Value>(check: string, step: () => Value | Promise<Value>): Promise<Value> => {
    try {
      const value = await step()
      checks.push({ check, passed: true })
      return value
    } catch (error) {
      if (error instanceof Fault) {
        const { code, message, details } = error
        checks.push({ check, passed: false, code, message, param: details.param })
      }
      throw error
    }
  }
}

function describe(findings: Findings, { requestId }: Call, isOperator: boolean): object {
  const { checks, facts, question, plan, money } = findings
  const leftOut = question ? listLeftOut(question, plan) : []
  return {
    object: 'explanation',
    request_id: requestId,
    forwarded: false,
    charged: false,
    model: facts?.model,
    stream: facts?.isStream,
    checks,
    tried: plan?.candidates.map((candidate, index) => {
      const isFallback = question !== undefined && candidate.model.id !== question.model
      const why = {
        why: plan.reasons[index] ?? 'only',
        ...(isFallback && { fallback_from: question.model }),
      }
      return isOperator ? describeCandidate(candidate, why) : describeStep(candidate, why)
    }),
    left_out: question && (isOperator ? leftOut : describeLeftOut(leftOut)),
    hold: money && describeHold(money),
    prices: plan && describePrices(plan.candidates),
  }
}
