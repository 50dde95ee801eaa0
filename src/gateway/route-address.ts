import type { Route } from '../catalog/catalog-snapshot.ts'
import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import { vendors } from '../vendors/index.ts'
import { protocolFor, type Vendor } from '../vendors/vendor.ts'

/** Where a request goes, in which protocol, and the headers that every one of its kind has. */
export interface RouteAddress {
  readonly vendor: Vendor
  readonly protocol: ProtocolName
  readonly url: string
  readonly headers: Headers
}

/** A route never changes (a change makes a new one), so neither does where it leads. */
const known = new WeakMap<Route, Map<string, RouteAddress>>()

export function addressOf(route: Route, client: ProtocolName, isStream: boolean): RouteAddress {
  let addresses = known.get(route)
  if (!addresses) {
    addresses = new Map()
    known.set(route, addresses)
  }
  const kind = isStream ? `${client} stream` : client
  const found = addresses.get(kind)
  if (found) return found
  const address = makeAddress(route, client, isStream)
  addresses.set(kind, address)
  return address
}

function makeAddress(route: Route, client: ProtocolName, isStream: boolean): RouteAddress {
  const { upstream, upstreamModel } = route
  const vendor = vendors.get(upstream.vendor)
  const protocol = vendor && protocolFor(vendor, upstream.protocol, client)
  if (!vendor || protocol === undefined) throw unknownKind(route)
  const destination = {
    baseUrl: upstream.baseUrl,
    protocol,
    credential: upstream.credential,
    model: upstreamModel,
    operation: isStream ? ('stream' as const) : ('generate' as const),
  }
  const url = vendor.url(destination)
  if (url === undefined) throw unknownKind(route)
  const headers = new Headers({
    ...vendor.headers(destination),
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
  })
  return { vendor, protocol, url, headers }
}

function unknownKind({ upstream }: Route): Fault {
  return new Fault(
    'no_upstream_available',
    'The upstream of this model is of a kind that this version does not know.',
    {
      operatorMessage: `upstream ${upstream.id} has vendor ${upstream.vendor} and protocol ${upstream.protocol}`,
    },
  )
}
