import type { OperationRoute } from '../route.ts'
import { routes } from '../routes.ts'
import { areaOf } from './route-areas.ts'

/** Where the description of the API stands. */
export const descriptionPath = '/openapi.json'

/** A route of the admin API: one of the console's, at a place of its own. */
export interface AdminRoute {
  readonly route: OperationRoute
  readonly path: string
}

/** Where both an operator and the people of an account have a call, theirs stand here. All others lose `/operate`. */
const otherPaths: Readonly<Record<string, string>> = {
  '/accounts/{id}': '/accounts/{id}/profile',
  '/models': '/catalogue',
  '/billing': '/statement',
}

/** Everything that a token can be allowed to call: all of the console but what is about the person who is signed in. */
export const adminRoutes: readonly AdminRoute[] = routes
  .filter((route) => (areaOf(route)?.area ?? 'personal') !== 'personal')
  .map((route) => ({ route, path: otherPaths[route.path] ?? route.path.replace('/operate', '') }))
