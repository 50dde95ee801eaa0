import type { Credential, Route } from '../../catalog/catalog-snapshot.ts'
import { Fault } from '../../core/fault.ts'
import type { ForwardTarget, Protocol } from '../../protocols/protocol.ts'
import type { Exchange } from '../exchange.ts'
import { PassThroughPassage } from './pass-through-passage.ts'
import { addressOf, type RouteAddress } from './route-address.ts'
import type { PreparedRequest } from './translating-passage.ts'

/**
 * The endpoint at which an upstream compacts a conversation. Only that upstream can read the result, so an upstream of
 * another protocol is no substitute.
 */
export function compactionAddress(
  route: Route,
  credential: Credential | undefined,
  protocol: Protocol,
): RouteAddress {
  const { name, continuing } = protocol
  const address = addressOf(route, credential, name, false)
  if (address.protocol !== name || !continuing) throw cannotCompact(protocol)
  const [path = '', query] = address.url.split('?')
  const whole = path + continuing.compactingPath
  const url = query === undefined ? whole : `${whole}?${query}`
  return { ...address, url }
}

/** Removes this gateway's envelopes from the body. The reply passes through unchanged. */
export class CompactionPassage extends PassThroughPassage {
  override readonly body: string
  override readonly warnings: readonly string[]

  constructor(exchange: Exchange, target: ForwardTarget, prepared: PreparedRequest) {
    super(exchange, target)
    this.body = exchange.protocol.continuing?.compactingBody(prepared.body) ?? prepared.body
    this.warnings = prepared.warnings
  }
}

function cannotCompact({ name, clientCalls }: Protocol): Fault {
  return new Fault(
    'invalid_request',
    `The upstream of this model does not speak the ${name} protocol, so it cannot compact a conversation. Ask the model for a summary with POST ${clientCalls.generatePath.whole} instead.`,
    { param: 'model', isUntranslatable: true },
  )
}
