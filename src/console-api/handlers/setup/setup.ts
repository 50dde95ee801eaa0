import { carryTiers } from '../../../catalog/carry-tiers.ts'
import { putModel, putPrice } from '../../../catalog/catalog-store.ts'
import { type PriceSettings, priceDefinition } from '../../../catalog/definition/price.ts'
import { extendRoutes } from '../../../catalog/extend-routes.ts'
import { putGroup } from '../../../catalog/group-store.ts'
import { startCatalogue } from '../../../catalog/start-catalogue.ts'
import type { PriceTier } from '../../../core/money/price.ts'
import { toWire } from '../../../fields/definition.ts'
import { change } from '../../changes/change.ts'
import type { DoneAnswer, SetupAnswer, SetupModelAnswer } from '../../contract.ts'
import { unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { toolsOf } from '../operate/upstreams.ts'
import { isSetupOpen, markSetupClosed, readSetupState } from './setup-fact.ts'

export async function readSetup({ deps }: SignedInCall): Promise<JsonAnswer<SetupAnswer>> {
  const { db } = deps.engine
  const account = await db
    .selectFrom('account')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return {
    body: {
      isOpen: await isSetupOpen(db),
      ...(await readSetupState(db)),
      isDemo: deps.gateway.hasDemo,
      accountId: account?.id ?? null,
    },
  }
}

export async function closeSetup(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await change(call, async ({ tx, nowMs, record }) => {
    await markSetupClosed(tx, nowMs)
    await record({ action: 'setup.closed', subject: 'setup' })
  })
  return { body: { isDone: true } }
}

/** The vendor's tiers for long prompts, in proportion to the entered price. */
async function knownTiers(
  upstream: { readonly vendor: string; readonly base_url: string },
  body: { readonly upstreamModel: string; readonly price: PriceSettings },
  nowMs: number,
): Promise<readonly PriceTier[] | undefined> {
  const listed = await startCatalogue(upstream.vendor, nowMs, upstream.base_url)
  const start = listed.find(({ model }) => model.id === body.upstreamModel)
  return start && carryTiers({ ...start.price, tiers: start.price.longPrompts }, body.price)
}

/** Creates model, price and route together, and the group if it is missing. */
export async function setUpModel(
  call: CallOf<'POST /setup/model'>,
): Promise<JsonAnswer<SetupModelAnswer>> {
  const body = await call.body()
  const tools = toolsOf(call)
  await change(call, async (changing) => {
    const { tx } = changing
    const upstream = await tx
      .selectFrom('upstream')
      .select(['vendor', 'base_url'])
      .where('id', '=', body.upstream)
      .executeTakeFirst()
    if (!upstream) throw unfitField('upstream', 'upstream_unknown', { id: body.upstream })
    const group = await tx
      .selectFrom('service_group')
      .select('id')
      .where('id', '=', body.group)
      .executeTakeFirst()
    if (!group) await putGroup(changing, tools, { id: body.group })
    const { model, displayName, maxOutputTokens } = body
    const known = await tx
      .selectFrom('model')
      .select(['owned_by', 'context_tokens'])
      .where('id', '=', model)
      .executeTakeFirst()
    await putModel(changing, tools, {
      id: model,
      displayName,
      ownedBy: known?.owned_by ?? upstream.vendor,
      contextTokens: known?.context_tokens ?? null,
      maxOutputTokens,
    })
    const former = await tx
      .selectFrom('price_version')
      .select('id')
      .where('model_id', '=', model)
      .executeTakeFirst()
    const tiers = former ? undefined : await knownTiers(upstream, body, changing.nowMs)
    const price = { ...body.price, longPrompts: body.price.longPrompts ?? tiers }
    await putPrice(changing, tools, model, price)
    const { group: groupId, upstreamModel } = body
    await extendRoutes(changing, body.upstream, [{ group: groupId, model, upstreamModel }])
    const after = { ...body, price: toWire(priceDefinition, price) }
    await changing.record({ action: 'setup.model-made', subject: model, after })
  })
  return { body: { model: body.model, group: body.group } }
}
