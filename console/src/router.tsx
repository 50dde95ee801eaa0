import { QueryCache, QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from './api/client.ts'
import { sessionQuery } from './api/queries.ts'
import { redeemLink } from './api/redeem-link.ts'
import { PageError } from './parts/page-error.tsx'
import { PageMissing } from './parts/page-missing.tsx'
import { PagePending } from './parts/page-pending.tsx'

const triesMax = 2

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is an answer; only what never arrived is worth asking for again.
      retry: (count, error) =>
        count < triesMax && !(error instanceof ApiError && error.status !== 0),
    },
  },
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'not_signed_in') void leaveToSignIn()
    },
  }),
})

/** The session has ended elsewhere: forget what it showed, and ask to sign in. */
async function leaveToSignIn(): Promise<void> {
  queryClient.clear()
  await router.navigate({ to: '/sign-in' })
}

/** The account that all pages look at; absent means every account the user may see. */
export interface ShellSearch {
  account?: string
}

export interface UsageSearch extends ShellSearch {
  key?: string
  request?: string
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

function readSearch<Name extends string>(
  names: readonly Name[],
  search: Record<string, unknown>,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const text = textOf(search[name])
    if (text !== undefined) found[name] = text
  }
  return found
}

const rootRoute = createRootRoute({ component: Outlet })

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in-page.tsx'), 'SignInPage'),
  // The token of a sign-in link stands behind the #, which no server and no log ever sees.
  beforeLoad: async ({ location }) => {
    const token = location.hash.replace(/^#/, '')
    if (token !== '') return signInByLink(token)
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (user) throw redirect({ to: '/' })
    return { linkError: undefined }
  },
})

async function signInByLink(token: string): Promise<{ linkError: ApiError | undefined }> {
  try {
    const session = await redeemLink(token)
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, session)
  } catch (error) {
    if (error instanceof ApiError) return { linkError: error }
    throw error
  }
  throw redirect({ to: '/', replace: true })
}

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  validateSearch: (search): ShellSearch => readSearch(['account'], search),
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (!user) throw redirect({ to: '/sign-in' })
  },
})

const overviewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview-page.tsx'), 'OverviewPage'),
})

const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys-page.tsx'), 'KeysPage'),
})

const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/usage-page.tsx'), 'UsagePage'),
  validateSearch: (search): UsageSearch => readSearch(['account', 'key', 'request'], search),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    shellRoute.addChildren([overviewRoute, keysRoute, usageRoute]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: PageMissing,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
