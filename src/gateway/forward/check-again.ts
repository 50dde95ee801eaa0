import { Fault } from '../../core/fault.ts'
import type { Plan } from '../../routing/plan-params.ts'
import { renewPlan } from '../../routing/renew-plan.ts'
import { authenticate } from '../admit/authenticate.ts'
import { authoriseCaller, authoriseModel } from '../admit/authorise.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'

/**
 * Repeats the checks whose outcome a change during a wait may have reversed: a disabled key or upstream gets no more
 * requests, even if they were admitted before. Throws the refusal; returns what is left of the plan.
 */
export async function checkAgain(exchange: Exchange, deps: ForwardDeps): Promise<Plan> {
  const { call, facts } = exchange
  const found = authenticate(call, deps)
  const caller = found instanceof Promise ? await found : found
  const nowMs = deps.clock.nowMs()
  authoriseCaller(caller, call, nowMs)
  authoriseModel(caller, facts.model)
  const { key, account } = caller
  const plan = renewPlan(exchange.plan, {
    catalog: deps.catalog.snapshot(),
    health: deps.routing.health,
    accountId: account.id,
    groups: key.groups,
    models: key.models,
    nowMs,
  })
  if (plan.candidates.length > 0) return plan
  throw new Fault(
    'no_upstream_available',
    'The upstreams that this request waited for are no longer available to it. Try again.',
    { retryAfterSeconds: 1 },
  )
}
