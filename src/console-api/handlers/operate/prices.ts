import { addPriceVersion } from '../../../catalog/add-price-version.ts'
import { priceDefinition } from '../../../catalog/definition/price.ts'
import { toWire } from '../../../fields/definition.ts'
import { change } from '../../changes/change.ts'
import type { ModelDetail } from '../../contract.ts'
import { unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { detailOf, needModel } from './models.ts'
import { toolsOf } from './upstreams.ts'

/** Adds a price version from now or from a future time. Past prices never change. */
export async function addPrice(
  call: CallOf<'POST /operate/models/{id}/prices'>,
): Promise<JsonAnswer<ModelDetail>> {
  const { id } = call
  const { price, validFrom: requestedMs } = await call.body()
  await change(call, async (changing) => {
    await needModel(changing, id)
    if (requestedMs !== null && requestedMs < changing.nowMs) {
      throw unfitField('validFrom', 'price_past')
    }
    const validFrom = await addPriceVersion(changing, toolsOf(call), {
      modelId: id,
      price,
      validFromMs: requestedMs,
    })
    if (validFrom === undefined) {
      throw unfitField('validFrom', 'price_planned')
    }
    await changing.record({
      action: 'price.added',
      subject: id,
      after: { validFrom, ...toWire(priceDefinition, price) },
    })
  })
  return { body: await detailOf(call, id) }
}
