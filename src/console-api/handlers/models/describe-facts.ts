import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import type { CatalogueModel, ModelCapability } from '../../contract.ts'
import type { GatewayPorts } from '../../ports/gateway-ports.ts'
import type { CallableRoute } from './callable-models.ts'

const capabilities: readonly ModelCapability[] = [
  'streaming',
  'tools',
  'structured-output',
  'reasoning',
  'sampling',
]

/** Capabilities and protocols of a model, as declared by the vendors on its routes. */
export function describeFacts(
  gateway: GatewayPorts,
  routes: readonly CallableRoute[],
): Pick<CatalogueModel, 'capabilities' | 'endpoints'> {
  const facts = gateway.factsOfModel(
    routes.map(({ vendor, protocol, upstreamModel, baseUrl }) => ({
      vendor,
      protocol,
      baseUrl,
      model: upstreamModel,
    })),
  )
  return {
    capabilities: capabilities.filter((each) => facts.capabilities.includes(each)),
    endpoints: protocolNames.map((protocol) => ({
      protocol,
      isNative: facts.nativeProtocols.includes(protocol),
    })),
  }
}
