import { firstRequestIdAt } from '../../../core/id.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { SeriesBy, SeriesStep, UsageSeries } from '../../contract.ts'
import { readParameter } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { collectSums } from './collect-sums.ts'
import { describeSeries, namesMax } from './describe-series.ts'
import { readUsageFilters } from './usage-filters.ts'

const dayMs = 24 * hourMs
const periodByDefaultMs = 30 * dayMs
const hourlyUpToMs = 3 * dayMs
/** So short a time has few steps of an hour; its rows are added up in finer ones. */
const finelyUpToMs = 2 * hourMs
/** A chart of more steps than these could not be read. */
const stepsMax = 1_000

export const stepMsOf: Readonly<Record<SeriesStep, number>> = {
  minutes: 5 * 60_000,
  hour: hourMs,
  day: dayMs,
}
const steps: readonly SeriesStep[] = ['minutes', 'hour', 'day']
const dimensions: readonly SeriesBy[] = ['model', 'key', 'group', 'protocol', 'account']

/** A stacked chart of what the filters fit. */
export async function readUsageSeries(call: SignedInCall): Promise<JsonAnswer<UsageSeries>> {
  const { parts, scope, query } = call
  const filters = readUsageFilters(query)
  const toMs = filters.toMs ?? parts.clock.nowMs()
  // Where nobody asks for a moment, whole hours do, and no rows have to be added up.
  const fromMs = filters.fromMs ?? toMs - periodByDefaultMs - (toMs % hourMs)
  const wished = readStep(query, toMs - fromMs)
  const by = readDimension(query)
  const within = { ...filters, fromMs, fromId: filters.fromId ?? firstRequestIdAt(fromMs) }
  const collectBy = (step: SeriesStep) =>
    collectSums(parts.engine, scope, within, { by, stepMs: stepMsOf[step], namesMax })
  const first = await collectBy(wished)
  // Of too many rows only a part could be added up; whole hours have been.
  const isTooFine = wished === 'minutes' && first.cutAtMs !== undefined
  const step = isTooFine ? 'hour' : wished
  const collected = isTooFine ? await collectBy(step) : first
  const wish = { by, step, period: { fromMs, toMs } }
  return { body: await describeSeries(parts.engine, collected, wish) }
}

export function readDimension(query: URLSearchParams): SeriesBy {
  const text = readParameter(query, 'by') ?? 'model'
  const by = dimensions.find((each) => each === text)
  if (by === undefined) throw wrongField('by', 'word_wrong', { words: dimensions.join(', ') })
  return by
}

function readStep(query: URLSearchParams, lengthMs: number): SeriesStep {
  const text = readParameter(query, 'step') ?? stepFor(lengthMs)
  const step = steps.find((each) => each === text)
  if (step === undefined) throw wrongField('step', 'word_wrong', { words: steps.join(', ') })
  if (lengthMs / stepMsOf[step] > stepsMax) {
    throw wrongField('step', 'step_small', { max: stepsMax })
  }
  return step
}

function stepFor(lengthMs: number): SeriesStep {
  if (lengthMs <= finelyUpToMs) return 'minutes'
  return lengthMs <= hourlyUpToMs ? 'hour' : 'day'
}
