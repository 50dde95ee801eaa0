import type { usageOperations } from '../contract/operations/usage-operations.ts'
import { readBilling } from '../handlers/billing/read-billing.ts'
import { readCatalogue } from '../handlers/models/read-catalogue.ts'
import { readOverview } from '../handlers/overview/read-overview.ts'
import { playAsKey, readPlaygroundOptions } from '../handlers/playground/playground.ts'
import { exportUsage } from '../handlers/usage/export-usage.ts'
import { listUsageRows } from '../handlers/usage/list-usage-rows.ts'
import { readUsageDetail } from '../handlers/usage/read-usage-detail.ts'
import { readUsageFacets } from '../handlers/usage/read-usage-facets.ts'
import { readUsageSeries } from '../handlers/usage/read-usage-series.ts'
import { readUsageTotals } from '../handlers/usage/read-usage-totals.ts'
import type { Handlers } from './route.ts'

export const usageHandlers: Handlers<typeof usageOperations> = {
  'GET /overview': readOverview,
  'GET /usage': listUsageRows,
  'GET /usage/totals': readUsageTotals,
  'GET /usage/series': readUsageSeries,
  'GET /usage/facets': readUsageFacets,
  'GET /usage/export': exportUsage,
  'GET /usage/{id}': readUsageDetail,
  'GET /models': readCatalogue,
  'GET /playground/options': readPlaygroundOptions,
  'GET /playground/{id}/{rest}': playAsKey,
  'POST /playground/{id}/{rest}': playAsKey,
  'GET /billing': readBilling,
}
