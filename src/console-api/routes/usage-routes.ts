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
import type { Route } from '../route.ts'

const accounts = { method: 'GET', who: 'member', owns: 'accounts' } as const

const plays = { who: 'member', owns: 'path-key', role: 'member' } as const

/** What people read: the overview, the log, the catalogue, the statement; and the playground. */
export const usageRoutes: readonly Route[] = [
  { ...accounts, path: '/overview', answer: readOverview },
  { ...accounts, path: '/usage', answer: listUsageRows },
  { ...accounts, path: '/usage/totals', answer: readUsageTotals },
  { ...accounts, path: '/usage/series', answer: readUsageSeries },
  { ...accounts, path: '/usage/facets', answer: readUsageFacets },
  { ...accounts, path: '/usage/export', answer: exportUsage },
  {
    method: 'GET',
    path: '/usage/{id}',
    who: 'member',
    owns: 'path-request',
    answer: readUsageStory,
  },
  { ...accounts, path: '/models', answer: readCatalogue },
  { ...accounts, path: '/playground/options', answer: readPlaygroundOptions },
  { method: 'GET', path: '/playground/{id}/{rest}', ...plays, answer: playAsKey },
  { method: 'POST', path: '/playground/{id}/{rest}', ...plays, answer: playAsKey },
  { method: 'GET', path: '/billing', who: 'member', owns: 'one-account', answer: readBilling },
]
