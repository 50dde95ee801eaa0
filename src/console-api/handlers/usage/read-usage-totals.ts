import type { UsageTotals } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { collectSums } from './collect-sums.ts'
import { addSums, describeSums } from './sums.ts'
import { usageFilters } from './usage-filters.ts'
import { usageScope } from './usage-scope.ts'

/** The totals for the filters. */
export async function readUsageTotals(
  call: CallOf<'GET /usage/totals'>,
): Promise<JsonAnswer<UsageTotals>> {
  const { deps, query } = call
  const scope = await usageScope(deps.engine, call.scope, query)
  const filters = usageFilters(query)
  const { cells, cutAtMs } = await collectSums(deps.engine, scope, filters, {
    by: undefined,
    stepMs: undefined,
  })
  return {
    body: {
      ...describeSums(addSums(cells)),
      from: cutAtMs ?? filters.fromMs ?? null,
      to: filters.toMs ?? deps.clock.nowMs(),
      isCut: cutAtMs !== undefined,
    },
  }
}
