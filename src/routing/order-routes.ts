import type { Route } from '../catalog/catalog-snapshot.ts'

/** By priority, lowest first; inside one priority a draw without replacement, by weight. */
export function orderRoutes(routes: readonly Route[], random: () => number): readonly Route[] {
  if (routes.length === 1) return routes
  const tiers = Map.groupBy(routes, (route) => route.priority)
  const priorities = [...tiers.keys()].sort((left, right) => left - right)
  return priorities.flatMap((priority) => drawByWeight(tiers.get(priority) ?? [], random))
}

/** A weight of 0 keeps a route in reserve: it is drawn after all others of its priority. */
function drawByWeight(tier: readonly Route[], random: () => number): Route[] {
  const left = [...tier]
  const drawn: Route[] = []
  while (left.length > 0) {
    const total = left.reduce((sum, route) => sum + route.weight, 0)
    let point = random() * total
    let index = left.findIndex((route) => {
      point -= route.weight
      return point < 0
    })
    if (index < 0) index = 0
    drawn.push(...left.splice(index, 1))
  }
  return drawn
}
