import type { Provision, ProvisionUpstream } from '../../src/config/provision.ts'
import type { UpstreamTimeouts } from '../../src/core/upstreams/upstream-timeouts.ts'
import { credentials, viaModel } from '../support/gateway/test-provision.ts'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import { backupOf, healthyId, seatName, seats } from './cell.ts'
import type { Place } from './fault.ts'

const where = 'test'
const hastyMs = 50
const dollar = 1_000_000_000n

/** The URLs of the upstreams of each place. */
export type Addresses = Readonly<Partial<Record<Place, string>>>

/** The proxy or CA between the gateway and the upstreams of a place. */
export type Ways = Readonly<Partial<Record<Place, { proxy: string; ca?: string }>>>

/** Only the timeout under test is short, so that the load of the machine does not matter. */
const timeouts: Readonly<Partial<Record<Place, Partial<UpstreamTimeouts>>>> = {
  'hasty-headers': { headersMs: hastyMs, wholeMs: hastyMs },
  'hasty-token': { firstTokenMs: hastyMs, reasoningMs: hastyMs, wholeMs: hastyMs },
  'hasty-idle': { idleMs: hastyMs, wholeMs: hastyMs },
  'silent-proxy': { connectMs: hastyMs },
}

const placeNames = [
  'plain',
  'hasty-headers',
  'hasty-token',
  'hasty-idle',
  'refused',
  'nameless',
  'no-tls',
  'strange-tls',
  'flooding',
  'proxied',
  'tunnelled',
  'silent-proxy',
  'billing-on',
] as const satisfies readonly Place[]

/** Besides the usual resources, a faulty upstream for each place and seat, and a healthy one for each protocol. */
export function faultyProvision(
  usual: Provision,
  addresses: Addresses,
  healthyUrl: string,
  ways: Ways,
): Provision {
  const [like] = usual.models
  if (!like) throw new Error('the usual provision has changed')
  const vias = new Map(usual.upstreams.map((upstream) => [upstream.id, upstream]))
  const via = (name: string): ProvisionUpstream => {
    const found = vias.get(`via-${name}`)
    if (!found) throw new Error('the usual provision has changed')
    return found
  }
  const placed = placeNames.flatMap((place) => {
    const address = addresses[place]
    return address === undefined ? [] : seats.map((seat) => ({ place, address, seat }))
  })
  const faulty = placed.map(({ place, address, seat }): ProvisionUpstream => {
    const model = seatName(place, seat)
    const own = via(seat.to.name)
    const { pathname } = new URL(own.baseUrl)
    return {
      ...own,
      id: model,
      baseUrl: `${address}/${model}${pathname === '/' ? '' : pathname}`,
      groups: ['any'],
      models: [{ model, upstreamModel: viaModel(seat.to.name) }],
      proxy: ways[place]?.proxy,
      timeouts: timeouts[place] ?? {},
      ca: ways[place]?.ca,
      ...(place === 'billing-on' && { billsOnAbort: true }),
    }
  })
  const healthy = allProtocols.map((protocol): ProvisionUpstream => {
    const own = via(protocol.name)
    const { pathname } = new URL(own.baseUrl)
    return {
      ...own,
      id: healthyId(protocol),
      baseUrl: `${healthyUrl}/${healthyId(protocol)}${pathname === '/' ? '' : pathname}`,
      credentials: [{ name: 'first', value: credentials.two }],
      groups: ['any'],
      models: placed
        .filter(({ seat }) => seat.isBacked && backupOf(seat) === protocol)
        .map(({ place, seat }) => ({
          model: seatName(place, seat),
          upstreamModel: viaModel(protocol.name),
        })),
      priority: 1,
    }
  })
  return {
    ...usual,
    models: [
      ...usual.models,
      ...placed.map(({ place, seat }) => ({ ...like, id: seatName(place, seat), where })),
    ],
    upstreams: [...usual.upstreams, ...faulty, ...healthy],
    // A report of more tokens than the model can use is charged up to the limits of the model.
    accounts: usual.accounts.map((account) =>
      account.id === 'acme' ? { ...account, creditNano: 1_000_000n * dollar } : account,
    ),
  }
}
