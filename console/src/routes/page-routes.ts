import { createRoute, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries.ts'
import { loadLazyTexts } from '../i18n/start-i18n.ts'
import { queryClient } from '../query-client.ts'
import { type UsageSearch, usageSearchNames } from '../usage/usage-search.ts'
import { type ShellSearch, shellRoute } from './base-routes.tsx'
import { lazyPage } from './lazy-page.ts'
import { readSearch } from './read-search.ts'

const parent = { getParentRoute: () => shellRoute }

export interface OverviewSearch extends ShellSearch {
  period?: string
  by?: string
}

const overviewRoute = createRoute({
  ...parent,
  path: '/',
  validateSearch: (search): OverviewSearch => readSearch(['account', 'period', 'by'], search),
  component: lazyPage(() => import('../overview/overview-page.tsx'), 'OverviewPage'),
})

export interface KeysSearch extends ShellSearch {
  /** The key whose panel is open, or `new`. */
  key?: string
  search?: string
  /** See `useKeyFilters`. */
  owner?: string
  sort?: string
  order?: string
}

const keysRoute = createRoute({
  ...parent,
  path: '/keys',
  validateSearch: (search): KeysSearch =>
    readSearch(['account', 'key', 'search', 'owner', 'sort', 'order'], search),
  component: lazyPage(() => import('../keys/keys-page.tsx'), 'KeysPage'),
})

const usageRoute = createRoute({
  ...parent,
  path: '/usage',
  validateSearch: (search): UsageSearch => readSearch(usageSearchNames, search),
  component: lazyPage(() => import('../usage/usage-page.tsx'), 'UsagePage'),
})

const modelsRoute = createRoute({
  ...parent,
  path: '/models',
  component: lazyPage(() => import('../models/models-page.tsx'), 'ModelsPage'),
})

export interface PlaygroundSearch extends ShellSearch {
  key?: string
  model?: string
}

const playgroundRoute = createRoute({
  ...parent,
  path: '/playground',
  validateSearch: (search): PlaygroundSearch => readSearch(['account', 'key', 'model'], search),
  component: lazyPage(() => import('../playground/playground-page.tsx'), 'PlaygroundPage'),
})

export interface BillingSearch extends ShellSearch {
  /** Days in UTC, inclusive. */
  from?: string
  to?: string
}

const billingRoute = createRoute({
  ...parent,
  path: '/billing',
  validateSearch: (search): BillingSearch => readSearch(['account', 'from', 'to'], search),
  component: lazyPage(() => import('../billing/billing-page.tsx'), 'BillingPage'),
})

const accountRoute = createRoute({
  ...parent,
  path: '/account',
  component: lazyPage(() => import('../account/account-page.tsx'), 'AccountPage'),
  beforeLoad: loadLazyTexts,
})

export interface TokensSearch extends ShellSearch {
  /** The token whose panel is open, or `new`. */
  token?: string
}

export interface AlertsSearch extends ShellSearch {
  /** The alert whose panel is open, or `new`. */
  alert?: string
}

const alertsRoute = createRoute({
  ...parent,
  path: '/alerts',
  validateSearch: (search): AlertsSearch => readSearch(['account', 'alert'], search),
  component: lazyPage(() => import('../alerts/alerts-page.tsx'), 'AlertsPage'),
  beforeLoad: ({ search }) => needOwner(search.account),
})

const tokensRoute = createRoute({
  ...parent,
  path: '/tokens',
  validateSearch: (search): TokensSearch => readSearch(['account', 'token'], search),
  component: lazyPage(() => import('../tokens/tokens-page.tsx'), 'TokensPage'),
  beforeLoad: ({ search }) => needOwner(search.account),
})

/** The back end enforces the role. The redirect only spares other users an error. */
async function needOwner(account: string | undefined): Promise<void> {
  const { user, accounts } = await queryClient.ensureQueryData(sessionQuery)
  const isOwner = accounts.some(
    ({ id, role }) => role === 'owner' && (account === undefined || id === account),
  )
  if (user?.role !== 'admin' && !isOwner) {
    throw redirect({ to: '/', search: account === undefined ? {} : { account } })
  }
  await loadLazyTexts()
}

/** Pages for all users. */
export const pageRoutes = [
  overviewRoute,
  keysRoute,
  usageRoute,
  modelsRoute,
  playgroundRoute,
  billingRoute,
  accountRoute,
  tokensRoute,
  alertsRoute,
] as const
