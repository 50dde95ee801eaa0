import { Refusal } from './refusal.ts'
import type { Route } from './route.ts'

export interface FoundRoute {
  readonly route: Route
  readonly id: string
  readonly rest: string
}

/** The route of a method and a path below /console/api. One without places in it goes before one with. */
export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute {
  const found = routes
    .flatMap((route) => {
      const places = matchPath(route.path, path)
      return places === undefined ? [] : [{ route, ...places }]
    })
    .sort((left, right) => placesIn(left.route.path) - placesIn(right.route.path))
  const match = found.find(({ route }) => route.method === method)
  if (match) return match
  if (found.length === 0) throw new Refusal('not_found', 'The console has no such address.')
  const allow = [...new Set(found.map(({ route }) => route.method))].join(', ')
  throw new Refusal('method_not_allowed', `This address takes ${allow} only.`, {
    headers: { allow },
  })
}

function placesIn(pattern: string): number {
  return pattern.split('{').length
}

/** What stands in the places of the pattern; undefined when the path is another. */
function matchPath(pattern: string, path: string): { id: string; rest: string } | undefined {
  const names = pattern.split('/')
  const segments = path.split('/')
  const restAt = names.indexOf('{rest}')
  if (restAt < 0 ? names.length !== segments.length : segments.length <= restAt) return undefined
  let id = ''
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? ''
    if (name === '{rest}') return { id, rest: `/${segments.slice(index).join('/')}` }
    if (name === '{id}') {
      const read = readId(segment)
      if (read === undefined) return undefined
      id = read
    } else if (name !== segment) return undefined
  }
  return { id, rest: '' }
}

/** Ids of the catalogue may have slashes in them, which come encoded. */
function readId(segment: string): string | undefined {
  let id: string
  try {
    id = decodeURIComponent(segment)
  } catch {
    return undefined
  }
  return /^[\w.:@/+-]{1,128}$/.test(id) ? id : undefined
}
