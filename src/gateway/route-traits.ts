import type { Route } from '../catalog/catalog-snapshot.ts'
import type { ModelTraits } from '../protocols/model-traits.ts'
import { vendors } from '../vendors/index.ts'
import type { Vendor } from '../vendors/vendor.ts'

/** Looking habits up costs a microsecond or two; a route is the same object until the catalogue changes. */
const known = new WeakMap<Route, ModelTraits>()

export function traitsOf(route: Route, vendor: Vendor): ModelTraits {
  const found = known.get(route)
  if (found) return found
  const traits = vendor.traits(route.upstreamModel, route.upstream.baseUrl)
  known.set(route, traits)
  return traits
}

/** Whether the model may think before it speaks. Of a vendor that nobody knows it is assumed. */
export function mayThink(route: Route): boolean {
  const vendor = vendors.get(route.upstream.vendor)
  return !vendor || traitsOf(route, vendor).thinking !== 'none'
}
