import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { modelCapabilities } from '../../contract/models.ts'
import type { CatalogueModel } from '../../contract.ts'
import type { GatewayPorts } from '../../ports/gateway-ports.ts'
import type { CallableRoute } from './callable-models.ts'

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
    capabilities: modelCapabilities.filter((each) => facts.capabilities.includes(each)),
    endpoints: protocolNames.map((protocol) => ({
      protocol,
      isNative: facts.nativeProtocols.includes(protocol),
    })),
  }
}
