import type { Route } from '../catalog/catalog-snapshot.ts'
import { Fault } from '../core/fault.ts'
import { isProtocolName } from '../core/protocol-name.ts'
import { vendors } from '../vendors/index.ts'

/** Where a request goes, and the headers that every one of its kind has. */
export interface RouteAddress {
  readonly url: string
  readonly headers: Headers
}

interface Addresses {
  stream?: RouteAddress
  whole?: RouteAddress
}

/** A route never changes (a change makes a new one), so neither does where it leads. */
const known = new WeakMap<Route, Addresses>()

export function addressOf(route: Route, isStream: boolean): RouteAddress {
  let addresses = known.get(route)
  if (!addresses) {
    addresses = {}
    known.set(route, addresses)
  }
  const kind = isStream ? 'stream' : 'whole'
  const address = addresses[kind] ?? makeAddress(route, isStream)
  addresses[kind] = address
  return address
}

function makeAddress({ upstream }: Route, isStream: boolean): RouteAddress {
  const vendor = vendors.get(upstream.vendor)
  if (!vendor || !isProtocolName(upstream.protocol)) {
    throw new Fault(
      'no_upstream_available',
      'The upstream of this model is of a kind that this version does not know.',
      {
        operatorMessage: `upstream ${upstream.id} has vendor ${upstream.vendor} and protocol ${upstream.protocol}`,
      },
    )
  }
  const { baseUrl, protocol, credential } = upstream
  const destination = { baseUrl, protocol, credential }
  return {
    url: vendor.url(destination),
    headers: new Headers({
      ...vendor.headers(destination),
      'content-type': 'application/json',
      accept: isStream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    }),
  }
}
