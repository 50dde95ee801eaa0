import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { redeemLink } from '../api/redeem-link.ts'
import { takePlace } from '../parts/kept-place.ts'
import { queryClient } from '../query-client.ts'
import { lazyPage } from './lazy-page.ts'
import { readSearch } from './read-search.ts'

/** The selected account; absent: all accounts that the user may see. */
export interface ShellSearch {
  account?: string
}

export const rootRoute = createRootRoute({ component: Outlet })

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  // A failed OpenID Connect sign-in returns with `problem`; an invited user signs in with `account`.
  validateSearch: (search): { problem?: string; account?: string } =>
    readSearch(['problem', 'account'], search),
  component: lazyPage(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
  // The token of a sign-in link is in the fragment, which browsers send to no server.
  beforeLoad: async ({ location }) => {
    const token = location.hash.replace(/^#/, '')
    if (token !== '') return signInByLink(token)
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (user) throw redirect({ to: '/' })
    return { linkError: undefined }
  },
})

/** The token is in the fragment, as in a sign-in link. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('../sign-in/invitation-page.tsx'), 'InvitationPage'),
})

/** The first link of a new gateway opens the setup. With demo data, or after the setup, it opens the overview. */
async function signInByLink(token: string): Promise<{ linkError: ApiError | undefined }> {
  let needsSetup = false
  try {
    const session = await redeemLink(token)
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, session)
    needsSetup = session.isSetupOpen && !session.isDemoFilled
  } catch (error) {
    if (error instanceof ApiError) return { linkError: error }
    throw error
  }
  throw redirect({ to: needsSetup ? '/setup' : '/', replace: true })
}

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyPage(() => import('../shell/shell.tsx'), 'Shell'),
  validateSearch: (search): ShellSearch => readSearch(['account'], search),
  beforeLoad: async ({ location }) => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (!user) throw redirect({ to: '/sign-in' })
    const place = location.pathname === '/' ? takePlace() : undefined
    if (place !== undefined) window.location.replace(place)
  },
})
