import type { Route } from './route.ts'
import { accountRoutes } from './routes/account-routes.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { operatorRoutes } from './routes/operator-routes.ts'
import { sessionRoutes } from './routes/session-routes.ts'
import { usageRoutes } from './routes/usage-routes.ts'

/** Every route of the back end, with who may call it and whose things it may touch. The dispatcher enforces both. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...keyRoutes,
  ...usageRoutes,
  ...accountRoutes,
  ...operatorRoutes,
]
