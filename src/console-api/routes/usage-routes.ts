import { readBilling } from '../answers/billing/read-billing.ts'
import { readCatalogue } from '../answers/models/read-catalogue.ts'
import { readOverview } from '../answers/overview/read-overview.ts'
import { playAsKey, readPlaygroundOptions } from '../answers/playground/playground.ts'
import { exportUsage } from '../answers/usage/export-usage.ts'
import { listUsageRows } from '../answers/usage/list-usage-rows.ts'
import { readUsageFacets } from '../answers/usage/read-usage-facets.ts'
import { readUsageSeries } from '../answers/usage/read-usage-series.ts'
import { readUsageStory } from '../answers/usage/read-usage-story.ts'
import { readUsageTotals } from '../answers/usage/read-usage-totals.ts'
import type { usageOperations } from '../contract/usage-operations.ts'
import type { Handlers } from '../route.ts'

export const usageHandlers: Handlers<typeof usageOperations> = {
  'GET /overview': readOverview,
  'GET /usage': listUsageRows,
  'GET /usage/totals': readUsageTotals,
  'GET /usage/series': readUsageSeries,
  'GET /usage/facets': readUsageFacets,
  'GET /usage/export': exportUsage,
  'GET /usage/{id}': readUsageStory,
  'GET /models': readCatalogue,
  'GET /playground/options': readPlaygroundOptions,
  'GET /playground/{id}/{rest}': playAsKey,
  'POST /playground/{id}/{rest}': playAsKey,
  'GET /billing': readBilling,
}
