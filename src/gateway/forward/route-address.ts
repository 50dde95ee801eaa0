import type { Credential, Route } from '../../catalog/catalog-snapshot.ts'
import { Fault } from '../../core/fault.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import { vendors } from '../../vendors/index.ts'
import { protocolFor, type Vendor } from '../../vendors/vendor.ts'

/** The URL and protocol for a request, and the headers that all such requests share. */
export interface RouteAddress {
  readonly vendor: Vendor
  readonly protocol: ProtocolName
  readonly url: string
  readonly headers: Headers
}

type Addresses = Partial<Record<ProtocolName, RouteAddress>>

/** The cached addresses of one route for one credential, separate for streams and whole replies. */
interface OfCredential {
  readonly credential: Credential | undefined
  readonly stream: Addresses
  readonly whole: Addresses
}

/** A route is immutable (a change creates a new one), so its addresses can be cached. */
const known = new WeakMap<Route, OfCredential[]>()

export function addressOf(
  route: Route,
  credential: Credential | undefined,
  client: ProtocolName,
  isStream: boolean,
): RouteAddress {
  const made = madeFor(route, credential)
  const addresses = isStream ? made.stream : made.whole
  addresses[client] ??= makeAddress(route, credential, client, isStream)
  return addresses[client]
}

function madeFor(route: Route, credential: Credential | undefined): OfCredential {
  let all = known.get(route)
  if (!all) {
    all = []
    known.set(route, all)
  }
  for (const each of all) if (each.credential === credential) return each
  const made = { credential, stream: {}, whole: {} }
  all.push(made)
  return made
}

function makeAddress(
  route: Route,
  credential: Credential | undefined,
  client: ProtocolName,
  isStream: boolean,
): RouteAddress {
  const { upstream, upstreamModel } = route
  const vendor = vendors.get(upstream.vendor)
  const protocol = vendor && protocolFor(vendor, upstream.protocol, client)
  if (!vendor || protocol === undefined) throw unknownKind(route)
  const destination = {
    baseUrl: upstream.baseUrl,
    protocol,
    credential: credential?.value,
    model: upstreamModel,
    operation: isStream ? ('stream' as const) : ('generate' as const),
  }
  const url = vendor.url(destination)
  if (url === undefined) throw unknownKind(route)
  const headers = new Headers({
    ...vendor.headers(destination),
    // A policy may not name a credential's header, so this overwrites none.
    ...route.parameters?.headers,
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
  })
  return { vendor, protocol, url, headers }
}

function unknownKind({ upstream }: Route): Fault {
  return new Fault(
    'no_upstream_available',
    'This version of the gateway does not know the vendor of the upstream of this model. Ask the operator to upgrade the gateway.',
    {
      operatorMessage: `upstream ${upstream.id} has vendor ${upstream.vendor} and protocol ${upstream.protocol}`,
    },
  )
}
