import type { OperationRoute } from '../routes/route.ts'
import { routes } from '../routes/routes.ts'
import { areaOf } from './route-areas.ts'

/** Path of the OpenAPI description. */
export const descriptionPath = '/openapi.json'

/** A route of the admin API: an operation of the console under another path. */
export interface AdminRoute {
  readonly route: OperationRoute
  readonly path: string
}

/**
 * Paths of member operations whose path without `/operate` belongs to an operator operation. All others lose
 * `/operate`.
 */
const otherPaths: Readonly<Record<string, string>> = {
  '/accounts/{id}': '/accounts/{id}/profile',
  '/models': '/catalogue',
  '/billing': '/statement',
}

/** All operations that a token may be allowed to call: all of the console except those about the signed-in person. */
export const adminRoutes: readonly AdminRoute[] = routes
  .filter((route) => (areaOf(route)?.area ?? 'personal') !== 'personal')
  .map((route) => ({ route, path: otherPaths[route.path] ?? route.path.replace('/operate', '') }))
