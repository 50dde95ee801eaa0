import type { Route } from '../../catalog/catalog-snapshot.ts'
import type { ModelTraits } from '../../protocols/model-traits.ts'
import {
  type ExtraTokens,
  listExtras,
  plainReplies,
  type ReplyTraits,
} from '../../protocols/reply-traits.ts'
import { vendors } from '../../vendors/index.ts'
import type { Vendor } from '../../vendors/vendor.ts'

/** Looking up traits takes one or two microseconds. A route is the same object until the catalogue changes. */
const known = new WeakMap<Route, ModelTraits>()

export function traitsOf(route: Route, vendor: Vendor): ModelTraits {
  const found = known.get(route)
  if (found) return found
  const traits = vendor.traits(route.upstreamModel, route.upstream.baseUrl)
  known.set(route, traits)
  return traits
}

/** The fields of the model's replies beyond the protocol. */
export function repliesOf(route: Route, vendor: Vendor): ReplyTraits {
  return traitsOf(route, vendor).replies ?? plainReplies
}

/** Whether the upstream bills input that it finds itself, which the body does not bound. */
export function addsInput(route: Route): boolean {
  return extrasOf(route).some(({ input }) => input !== undefined)
}

/** Whether the upstream bills output that the client's limit does not bound. */
export function addsOutput(route: Route): boolean {
  return extrasOf(route).some(
    ({ output, reasoning }) => output !== undefined || reasoning !== undefined,
  )
}

function extrasOf(route: Route): readonly ExtraTokens[] {
  const replies = (known.get(route) ?? traitsByName(route))?.replies
  return replies === undefined ? none : listExtras(replies)
}

const none: readonly ExtraTokens[] = []

function traitsByName(route: Route): ModelTraits | undefined {
  const vendor = vendors.get(route.upstream.vendor)
  return vendor && traitsOf(route, vendor)
}

/** Whether the model may reason before it answers. Assumed for an unknown vendor. */
export function mayReason(route: Route): boolean {
  return traitsByName(route)?.thinking !== 'none'
}
