import { type Method, splitName } from '../contract/operations/operation.ts'
import { type Operations, operations } from '../contract/operations/operations.ts'
import { accountHandlers } from './account-routes.ts'
import { alertHandlers } from './alert-routes.ts'
import { catalogHandlers } from './catalog-routes.ts'
import { keyHandlers } from './key-routes.ts'
import { peopleHandlers } from './people-routes.ts'
import { recordingHandlers } from './recording-routes.ts'
import type { Handlers, OperationRoute } from './route.ts'
import { sessionHandlers } from './session-routes.ts'
import { systemHandlers } from './system-routes.ts'
import { tokenHandlers } from './token-routes.ts'
import { usageHandlers } from './usage-routes.ts'

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
