import { Refusal } from './refusal.ts'
import type { Route } from './route.ts'

export interface FoundRoute {
  readonly route: Route
  readonly id: string
}

/** The route of a method and a path below /console/api. */
export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute {
  const found = routes
    .map((route) => ({ route, id: matchPath(route.path, path) }))
    .filter((each): each is FoundRoute => each.id !== undefined)
  const match = found.find(({ route }) => route.method === method)
  if (match) return match
  if (found.length === 0) throw new Refusal('not_found', 'The console has no such address.')
  const allow = found.map(({ route }) => route.method).join(', ')
  throw new Refusal('method_not_allowed', `This address takes ${allow} only.`, { allow })
}

/** What stands in the place of `{id}`, an empty text when the pattern has none, undefined when it does not match. */
function matchPath(pattern: string, path: string): string | undefined {
  const [head = '', tail] = pattern.split('{id}')
  if (tail === undefined) return pattern === path ? '' : undefined
  if (!path.startsWith(head) || !path.endsWith(tail)) return undefined
  const id = path.slice(head.length, path.length - tail.length)
  return /^[\w.-]{1,128}$/.test(id) ? id : undefined
}
