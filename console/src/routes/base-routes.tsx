import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { redeemLink } from '../api/redeem-link.ts'
import { textOf } from '../i18n/start-i18n.ts'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { rememberPage, takeReturnPage } from '../parts/fresh-sign-in/return-page.ts'
import { queryClient } from '../query-client.ts'
import { rememberedAccount, rememberInvited } from '../sign-in/invited-account.ts'
import { openIdProblemText } from '../sign-in/open-id-problem.ts'
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
  // The link of a new user has `first`.
  validateSearch: (search): { problem?: string; account?: string; first?: string } =>
    readSearch(['problem', 'account', 'first'], search),
  component: lazyPage(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
  // The token of a sign-in link is in the fragment, which browsers send to no server.
  beforeLoad: async ({ location, search }) => {
    const token = location.hash.replace(/^#/, '')
    if (token !== '') return signInByLink(token, search.first !== undefined)
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    // A confirmation at the identity provider has failed, and the session stays as it was.
    if (user && search.problem !== undefined)
      notifyFailure(textOf(openIdProblemText(search.problem)))
    if (user) throw redirect({ to: '/' })
    const account = rememberedAccount()
    if (search.account === undefined && account !== undefined)
      throw redirect({ to: '/sign-in', search: { ...search, account }, replace: true })
    return { linkError: undefined }
  },
})

/** The token is in the fragment, as in a sign-in link. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('../sign-in/invitation-page.tsx'), 'InvitationPage'),
})

/** Asks for an email that resets the password. */
export const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  validateSearch: (search): { account?: string } => readSearch(['account'], search),
  component: lazyPage(() => import('../sign-in/forgot-page.tsx'), 'ForgotPage'),
})

/** The link of such an email. */
export const newPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new-password',
  // Of an invited user, who signs in with it.
  validateSearch: (search): { account?: string } => readSearch(['account'], search),
  component: lazyPage(() => import('../sign-in/new-password-page.tsx'), 'NewPasswordPage'),
})

export const firstPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/first-password',
  component: lazyPage(() => import('../sign-in/first-password-page.tsx'), 'FirstPasswordPage'),
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (!user) throw redirect({ to: '/sign-in' })
    rememberInvited(user)
    if (user.hasPassword) throw redirect({ to: '/' })
  },
})

/** The first link of a new gateway opens the setup. With demo data, or after the setup, it opens the overview. */
async function signInByLink(
  token: string,
  isNewUser: boolean,
): Promise<{ linkError: ApiError | undefined }> {
  let to: '/setup' | '/first-password' | '/' = '/'
  try {
    const session = await redeemLink(token)
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, session)
    if (session.isSetupOpen && !session.isDemoFilled) to = '/setup'
    else if (isNewUser && session.user?.hasPassword === false) to = '/first-password'
  } catch (error) {
    if (error instanceof ApiError) return { linkError: error }
    throw error
  }
  throw redirect({ to, replace: true })
}

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyPage(() => import('../shell/shell.tsx'), 'Shell'),
  validateSearch: (search): ShellSearch => readSearch(['account'], search),
  beforeLoad: async ({ location, preload }) => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (!user) {
      rememberPage()
      throw redirect({ to: '/sign-in' })
    }
    rememberInvited(user)
    // A link under the pointer is loaded ahead, and nobody has left the page.
    const place = preload ? undefined : takeReturnPage()
    // A sign-in leads to the overview. Any other page means that the person has gone on without it.
    if (place !== undefined && location.pathname === '/')
      throw redirect({ href: place, replace: true })
  },
})
