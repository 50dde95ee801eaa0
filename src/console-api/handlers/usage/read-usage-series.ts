import { firstRequestIdAt } from '../../../core/id.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { SeriesStep, UsageSeries } from '../../contract.ts'
import { brokenRule } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { collectSums } from './collect-sums.ts'
import { describeSeries, namesMax } from './describe-series.ts'
import { usageFilters } from './usage-filters.ts'
import { usageScope } from './usage-scope.ts'

const dayMs = 24 * hourMs
const periodByDefaultMs = 30 * dayMs
const hourlyUpToMs = 3 * dayMs
/** A period this short has few hours, so its rows are summed in steps of minutes. */
const finelyUpToMs = 2 * hourMs
/** Limit of steps; a chart with more is unreadable. */
const stepsMax = 1_000

export const stepMsOf: Readonly<Record<SeriesStep, number>> = {
  minutes: 5 * 60_000,
  hour: hourMs,
  day: dayMs,
}

/** The stacked chart for the filters. */
export async function readUsageSeries(
  call: CallOf<'GET /usage/series'>,
): Promise<JsonAnswer<UsageSeries>> {
  const { deps, query } = call
  const scope = await usageScope(deps.engine, call.scope, query)
  const filters = usageFilters(query)
  const toMs = filters.toMs ?? deps.clock.nowMs()
  // Without `from`, start at a full hour, so that no rows need to be summed.
  const fromMs = filters.fromMs ?? toMs - periodByDefaultMs - (toMs % hourMs)
  const requested = checkStep(query.step, toMs - fromMs)
  const by = query.by ?? 'model'
  const within = { ...filters, fromMs, fromId: filters.fromId ?? firstRequestIdAt(fromMs) }
  const collectBy = (step: SeriesStep) =>
    collectSums(deps.engine, scope, within, { by, stepMs: stepMsOf[step], namesMax })
  const first = await collectBy(requested)
  // Too many rows would be cut off, but hourly sums are complete.
  const isTooFine = requested === 'minutes' && first.cutAtMs !== undefined
  const step = isTooFine ? 'hour' : requested
  const collected = isTooFine ? await collectBy(step) : first
  const request = { by, step, period: { fromMs, toMs } }
  return { body: await describeSeries(deps.engine, collected, request) }
}

function checkStep(requested: SeriesStep | undefined, lengthMs: number): SeriesStep {
  const step = requested ?? stepFor(lengthMs)
  if (lengthMs / stepMsOf[step] > stepsMax) {
    throw brokenRule('step', 'step_small', { max: stepsMax })
  }
  return step
}

function stepFor(lengthMs: number): SeriesStep {
  if (lengthMs <= finelyUpToMs) return 'minutes'
  return lengthMs <= hourlyUpToMs ? 'hour' : 'day'
}
