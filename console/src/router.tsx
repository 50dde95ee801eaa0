import { createRouter } from '@tanstack/react-router'
import { PageMissing } from './parts/feedback/page-missing.tsx'
import { PagePending } from './parts/feedback/page-pending.tsx'
import { RouteError } from './parts/feedback/route-error.tsx'
import { rememberPage } from './parts/fresh-sign-in/return-page.ts'
import { queryClient, sessionEnd } from './query-client.ts'
import {
  firstPasswordRoute,
  forgotRoute,
  invitationRoute,
  newPasswordRoute,
  rootRoute,
  shellRoute,
  signInRoute,
} from './routes/base-routes.tsx'
import { operatorRoutes } from './routes/operator-routes.ts'
import { pageRoutes } from './routes/page-routes.ts'

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    invitationRoute,
    forgotRoute,
    newPasswordRoute,
    firstPasswordRoute,
    shellRoute.addChildren([...pageRoutes, ...operatorRoutes]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: PageMissing,
})

/** The session ended elsewhere: clear cached data and go to sign-in. */
sessionEnd.addEventListener('end', () => {
  queryClient.clear()
  rememberPage()
  void router.navigate({ to: '/sign-in', ignoreBlocker: true })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
