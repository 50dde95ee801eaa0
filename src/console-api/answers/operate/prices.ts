import { addPriceVersion } from '../../../catalog/add-price-version.ts'
import { change } from '../../change.ts'
import type { ModelDetail } from '../../contract.ts'
import { ifSent, numberField, orNull } from '../../read-fields.ts'
import { wrongField } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { detailOf, needModel } from './models.ts'
import { describeSettingsPrice, priceField } from './price-body.ts'
import { toolsOf } from './upstreams.ts'

/** A new version from now on, or from a moment to come; what is past is never rewritten. */
export async function addPrice(call: SignedInCall): Promise<JsonAnswer<ModelDetail>> {
  const { id } = call
  const body = await call.body()
  const price = priceField(body, 'price')
  const wished = ifSent(orNull(numberField()))(body, 'validFrom') ?? undefined
  await change(call, async (changing) => {
    await needModel(changing, id)
    if (wished !== undefined && wished < changing.nowMs) {
      throw wrongField('validFrom', 'price_past')
    }
    const validFrom = await addPriceVersion(changing, toolsOf(call), {
      modelId: id,
      price,
      validFromMs: wished,
    })
    if (validFrom === undefined) {
      throw wrongField('validFrom', 'price_planned')
    }
    await changing.record({
      action: 'price.added',
      subject: id,
      after: { validFrom, ...describeSettingsPrice(price) },
    })
  })
  return { body: await detailOf(call, id) }
}
