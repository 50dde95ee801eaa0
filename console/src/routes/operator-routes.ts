import { createRoute, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries.ts'
import { loadLazyTexts } from '../i18n/start-i18n.ts'
import { queryClient } from '../query-client.ts'
import { type UsageSearch, usageSearchNames } from '../usage/usage-search.ts'
import { shellRoute } from './base-routes.tsx'
import { lazyPage } from './lazy-page.ts'
import type { AlertsSearch, TokensSearch } from './page-routes.ts'
import { readSearch } from './read-search.ts'

/** The back end enforces the role. The redirect only spares other users an error. */
const parent = {
  getParentRoute: () => shellRoute,
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (user?.role !== 'admin') throw redirect({ to: '/' })
    await loadLazyTexts()
  },
}

export interface UpstreamsSearch {
  /** `routes`; absent: the list of upstreams. */
  view?: string
  /** The upstream whose panel is open. */
  upstream?: string
  group?: string
  model?: string
}

const upstreamsRoute = createRoute({
  ...parent,
  path: '/operate/upstreams',
  validateSearch: (search): UpstreamsSearch =>
    readSearch(['view', 'upstream', 'group', 'model'], search),
  component: lazyPage(() => import('../operator/upstreams/upstreams-page.tsx'), 'UpstreamsPage'),
})

export interface OperatorModelsSearch {
  /** `unpriced`, `unrouted` or `missed`; absent: all models. */
  view?: string
  /** The model whose panel is open. */
  model?: string
}

const modelsRoute = createRoute({
  ...parent,
  path: '/operate/models',
  validateSearch: (search): OperatorModelsSearch => readSearch(['view', 'model'], search),
  component: lazyPage(() => import('../operator/catalog/models-page.tsx'), 'ModelsAndPricesPage'),
})

const groupsRoute = createRoute({
  ...parent,
  path: '/operate/groups',
  validateSearch: (search): { group?: string } => readSearch(['group'], search),
  component: lazyPage(() => import('../operator/groups/groups-page.tsx'), 'GroupsPage'),
})

export interface AccountsSearch {
  /** `users`; absent: the accounts. */
  view?: string
  /** The account whose panel is open. */
  open?: string
  /** The user whose panel is open. */
  user?: string
}

const accountsRoute = createRoute({
  ...parent,
  path: '/operate/accounts',
  validateSearch: (search): AccountsSearch => readSearch(['view', 'open', 'user'], search),
  component: lazyPage(() => import('../operator/people/accounts-page.tsx'), 'AccountsPage'),
})

const allTokensRoute = createRoute({
  ...parent,
  path: '/operate/tokens',
  validateSearch: (search): TokensSearch => readSearch(['account', 'token'], search),
  component: lazyPage(() => import('../tokens/tokens-page.tsx'), 'AllTokensPage'),
})

const allAlertsRoute = createRoute({
  ...parent,
  path: '/operate/alerts',
  validateSearch: (search): AlertsSearch => readSearch(['account', 'alert'], search),
  component: lazyPage(() => import('../alerts/alerts-page.tsx'), 'AllAlertsPage'),
})

const allUsageRoute = createRoute({
  ...parent,
  path: '/operate/usage',
  validateSearch: (search): UsageSearch => readSearch(usageSearchNames, search),
  component: lazyPage(() => import('../operator/usage/all-usage-page.tsx'), 'AllUsagePage'),
})

const explainRoute = createRoute({
  ...parent,
  path: '/operate/explain',
  component: lazyPage(() => import('../operator/explain/explain-page.tsx'), 'ExplainPage'),
})

const auditRoute = createRoute({
  ...parent,
  path: '/operate/audit',
  component: lazyPage(() => import('../operator/audit/audit-page.tsx'), 'AuditPage'),
})

const systemRoute = createRoute({
  ...parent,
  path: '/operate/system',
  component: lazyPage(() => import('../operator/system/system-page.tsx'), 'SystemPage'),
})

const setupRoute = createRoute({
  ...parent,
  path: '/setup',
  component: lazyPage(() => import('../setup/setup-page.tsx'), 'SetupPage'),
})

/** Pages for administrators. */
export const operatorRoutes = [
  upstreamsRoute,
  modelsRoute,
  groupsRoute,
  accountsRoute,
  allTokensRoute,
  allAlertsRoute,
  allUsageRoute,
  explainRoute,
  auditRoute,
  systemRoute,
  setupRoute,
] as const
