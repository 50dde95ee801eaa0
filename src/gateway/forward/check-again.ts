import { asFault, Fault } from '../../core/fault.ts'
import type { Plan } from '../../routing/plan-params.ts'
import { renewPlan } from '../../routing/renew-plan.ts'
import { authenticate } from '../admit/authenticate.ts'
import { authoriseCaller, authoriseModel } from '../admit/authorise.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'

/**
 * Repeats the checks whose outcome may have changed since the request was admitted, and leaves out the upstreams that
 * were disabled meanwhile: before an attempt that follows a wait or another attempt. False if the request may not be
 * sent any more.
 */
export async function checkAgain(exchange: Exchange, deps: ForwardDeps): Promise<boolean> {
  try {
    const plan = await planLeft(exchange, deps)
    if (plan.candidates.length === 0) throw noneLeft()
    exchange.plan = plan
    return true
  } catch (error) {
    exchange.refusal = asFault(error)
    return false
  }
}

async function planLeft({ call, facts, plan }: Exchange, deps: ForwardDeps): Promise<Plan> {
  const found = authenticate(call, deps)
  const caller = found instanceof Promise ? await found : found
  const nowMs = deps.clock.nowMs()
  authoriseCaller(caller, call, nowMs)
  authoriseModel(caller, facts.model)
  const { key, account } = caller
  return renewPlan(plan, {
    catalog: deps.catalog.snapshot(),
    health: deps.routing.health,
    accountId: account.id,
    groups: key.groups,
    models: key.models,
    nowMs,
  })
}

function noneLeft(): Fault {
  return new Fault(
    'no_upstream_available',
    'The upstreams of this request are no longer available to it. Try again.',
    { retryAfterSeconds: 1 },
  )
}
