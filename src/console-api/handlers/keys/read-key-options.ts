import { findKeyOwner } from '../../../accounts/find-key-owner.ts'
import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { factorText } from '../../../fields/kinds.ts'
import type { Engine } from '../../../store/engine.ts'
import type { Endpoint, KeyOptions, ModelChoice } from '../../contract.ts'
import { gatewayUrl } from '../../mail/gateway-url.ts'
import type { GatewayPorts } from '../../ports/gateway-ports.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { callableRoutes, groupsByModel } from '../models/callable-models.ts'
import { usableGroups } from '../models/usable-groups.ts'

/** The choices of the key's form: groups and models of the account, the caller's address, and the URLs for clients. */
export async function readKeyOptions(call: SignedInCall): Promise<JsonAnswer<KeyOptions>> {
  const { deps, scope, context, session } = call
  const [accountId = ''] = scope.accountIds ?? []
  const { db } = deps.engine
  const groups = await usableGroups(db, scope.accountIds, deps.clock.nowMs())
  const ids = groups.map((group) => group.id)
  const routes = await callableRoutes(db, ids, deps.gateway.hasDemo)
  const models = groupsByModel(routes)
  return {
    body: {
      groups: groups.map(({ id, factorMicro, until }) => ({
        id,
        factor: factorText(BigInt(factorMicro)),
        modelCount: [...models.values()].filter((each) => each.includes(id)).length,
        until,
      })),
      models: await nameModels(db, models),
      mayOwn: (await findKeyOwner(db, accountId, session.userId)) !== undefined,
      yourAddress: context.address,
      endpoints: endpointsAt(gatewayUrl(call), deps.gateway),
    },
  }
}

async function nameModels(
  db: Engine['db'],
  models: ReadonlyMap<string, readonly string[]>,
): Promise<ModelChoice[]> {
  if (models.size === 0) return []
  const rows = await db.selectFrom('model').select(['id', 'display_name']).orderBy('id').execute()
  return rows.flatMap(({ id, display_name: displayName }) => {
    const groups = models.get(id)
    return groups ? [{ id, displayName, groups }] : []
  })
}

function endpointsAt(root: string, gateway: GatewayPorts): Endpoint[] {
  return protocolNames.map((protocol) => {
    const { base, whole } = gateway.clientPathsOf(protocol)
    return { protocol, baseUrl: root + base, url: root + whole }
  })
}
