import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { SeriesBy, SeriesPoint, SeriesStep, UsageSeries } from '../../contract.ts'
import { readParameter } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
import type { JsonAnswer, Scope, SignedInCall } from '../../route.ts'
import { collectSums } from './collect-sums.ts'
import { namesOf } from './names-of.ts'
import { othersName, type SumCell } from './sum-cells.ts'
import type { Collected } from './sum-rows.ts'
import { addSums, describeSums, meanFirstTokenMs, tokensOf } from './sums.ts'
import { readUsageFilters, type UsageFilters } from './usage-filters.ts'

const dayMs = 24 * hourMs
const periodByDefaultMs = 30 * dayMs
const hourlyUpToMs = 3 * dayMs
/** A chart of more steps than these could not be read. */
const stepsMax = 1_000
const namesMax = 8

const stepMsOf: Readonly<Record<SeriesStep, number>> = { hour: hourMs, day: dayMs }
const dimensions: readonly SeriesBy[] = ['model', 'key', 'group', 'protocol', 'account']

/** A stacked chart of what the filters fit. */
export async function readUsageSeries(call: SignedInCall): Promise<JsonAnswer<UsageSeries>> {
  const { parts, scope, query } = call
  const filters = readUsageFilters(query)
  const toMs = filters.toMs ?? parts.clock.nowMs()
  const fromMs = filters.fromMs ?? toMs - periodByDefaultMs
  const step = readStep(query, toMs - fromMs)
  const by = readDimension(query)
  const period = { fromMs, toMs }
  return { body: await makeSeries(parts.engine, scope, filters, { by, step, period }) }
}

export function readDimension(query: URLSearchParams): SeriesBy {
  const text = readParameter(query, 'by') ?? 'model'
  const by = dimensions.find((each) => each === text)
  if (by === undefined) throw wrongField('by', `must be one of ${dimensions.join(', ')}`)
  return by
}

function readStep(query: URLSearchParams, lengthMs: number): SeriesStep {
  const text = readParameter(query, 'step') ?? (lengthMs <= hourlyUpToMs ? 'hour' : 'day')
  if (text !== 'hour' && text !== 'day') throw wrongField('step', 'must be hour or day')
  if (lengthMs / stepMsOf[text] > stepsMax) {
    throw wrongField('step', `is too small: a series has at most ${stepsMax} steps`)
  }
  return text
}

interface SeriesWish {
  readonly by: SeriesBy
  readonly step: SeriesStep
  readonly period: { readonly fromMs: number; readonly toMs: number }
}

export async function makeSeries(
  engine: Engine,
  scope: Scope,
  filters: UsageFilters,
  { by, step, period }: SeriesWish,
): Promise<UsageSeries> {
  const within = {
    ...filters,
    fromMs: period.fromMs,
    fromId: filters.fromId ?? firstRequestIdAt(period.fromMs),
  }
  const grouping = { by, stepMs: stepMsOf[step], namesMax }
  const { cells, cutAtMs } = await collectSums(engine, scope, within, grouping)
  const ranked = rank(cells)
  const dearest = ranked.filter(([id]) => id !== othersName).slice(0, namesMax)
  const shown = dearest.map(([id]) => id)
  const names = await namesOf(engine, by, shown)
  const kept = new Set(shown)
  const rest = ranked.filter(([id]) => !kept.has(id)).flatMap(([, own]) => own)
  return {
    by,
    step,
    from: cutAtMs ?? period.fromMs,
    to: period.toMs,
    isCut: cutAtMs !== undefined,
    names: [
      ...dearest.map(([id, own]) => ({
        id,
        name: names.get(id) ?? id,
        sums: describeSums(addSums(own)),
      })),
      ...(rest.length === 0
        ? []
        : [{ id: othersName, name: othersName, sums: describeSums(addSums(rest)) }]),
    ],
    points: pointsOf(cells, (id) => (kept.has(id) ? id : othersName)),
  }
}

/** Names with their cells, the dearest first, then the busiest. */
function rank(cells: Collected['cells']): [id: string, cells: SumCell[]][] {
  const byName = [...Map.groupBy(cells, (cell) => cell.name)]
  const weighed = byName.map(([id, own]) => ({ id, own, sum: addSums(own) }))
  weighed.sort((left, right) => {
    if (left.id === othersName || right.id === othersName) return left.id === othersName ? 1 : -1
    const difference = right.sum.cost_nano - left.sum.cost_nano
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return right.sum.requests - left.sum.requests || (left.id < right.id ? -1 : 1)
  })
  return weighed.map(({ id, own }) => [id, own])
}

function pointsOf(cells: Collected['cells'], idOf: (name: string) => string): SeriesPoint[] {
  const byPlace = Map.groupBy(cells, (cell) => `${cell.bucket} ${idOf(cell.name)}`)
  const points = [...byPlace.values()].flatMap((own) => {
    const [first] = own
    if (!first) return []
    const sum = addSums(own)
    return [
      {
        at: first.bucket,
        id: idOf(first.name),
        requests: sum.requests,
        errors: sum.errors,
        tokens: tokensOf(sum),
        costNano: String(sum.cost_nano),
        firstTokenMs: meanFirstTokenMs(sum),
      },
    ]
  })
  return points.sort((left, right) => left.at - right.at || (left.id < right.id ? -1 : 1))
}
