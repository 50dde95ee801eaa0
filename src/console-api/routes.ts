import { type Method, splitName } from './contract/operation.ts'
import { type Operations, operations } from './contract/operations.ts'
import type { Handlers, OperationRoute } from './route.ts'
import { accountHandlers } from './routes/account-routes.ts'
import { alertHandlers } from './routes/alert-routes.ts'
import { catalogHandlers } from './routes/catalog-routes.ts'
import { keyHandlers } from './routes/key-routes.ts'
import { peopleHandlers } from './routes/people-routes.ts'
import { recordingHandlers } from './routes/recording-routes.ts'
import { sessionHandlers } from './routes/session-routes.ts'
import { systemHandlers } from './routes/system-routes.ts'
import { tokenHandlers } from './routes/token-routes.ts'
import { usageHandlers } from './routes/usage-routes.ts'

const handlers: Handlers<Operations> = {
  ...sessionHandlers,
  ...keyHandlers,
  ...usageHandlers,
  ...accountHandlers,
  ...recordingHandlers,
  ...catalogHandlers,
  ...peopleHandlers,
  ...tokenHandlers,
  ...alertHandlers,
  ...systemHandlers,
}

/** All operations with their handlers. Permissions are checked before a handler runs. */
export const routes: readonly OperationRoute[] = Object.entries(operations).map(
  ([name, operation]) => {
    const { method, path } = splitName(name)
    return { ...operation, method: method as Method, path, run: handlers[name as keyof Operations] }
  },
)
