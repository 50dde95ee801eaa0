import { modelDefinition } from '../../../catalog/definition/model.ts'
import { priceDefinition } from '../../../catalog/definition/price.ts'
import { startCatalogue } from '../../../catalog/start-catalogue.ts'
import { isLocalModelServer, startModels } from '../../../catalog/start-models.ts'
import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { toWire, without } from '../../../fields/definition.ts'
import { limitNames } from '../../../fields/limit-fields.ts'
import type { StartModelsAnswer, VendorsAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'

export async function listVendors({ deps }: SignedInCall): Promise<JsonAnswer<VendorsAnswer>> {
  return {
    body: {
      vendors: deps.gateway.vendors.map((vendor) => ({
        name: vendor.name,
        baseUrl: vendor.baseUrl ?? null,
        protocols: protocolNames.filter((each) => vendor.protocols.includes(each)),
        hasStartModels: vendor.name in startModels,
      })),
    },
  }
}

/** The vendor's known models with public prices. */
const plainModel = without(modelDefinition, limitNames)

export async function readStartModels(
  call: CallOf<'GET /operate/vendors/{id}/models'>,
): Promise<JsonAnswer<StartModelsAnswer>> {
  const { deps, id } = call
  if (!deps.gateway.vendors.some(({ name }) => name === id)) {
    throw new ApiRefusal('not_found', 'This vendor does not exist.')
  }
  const { baseUrl } = call.query
  const found = await startCatalogue(id, deps.clock.nowMs(), baseUrl)
  const rows = await deps.engine.db.selectFrom('model').select('id').execute()
  const known = new Set(rows.map((row) => row.id))
  return {
    body: {
      models: found.map(({ model, price }) => ({
        ...toWire(plainModel, model),
        price: toWire(priceDefinition, price),
        isKnown: known.has(model.id),
      })),
      isLocal: isLocalModelServer(baseUrl),
    },
  }
}
