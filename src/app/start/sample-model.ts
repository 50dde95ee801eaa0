import type { Engine } from '../../store/engine.ts'

/** A priced, routed model of the default group, for the sample command of the banner. */
export async function findSampleModel(engine: Engine): Promise<string | undefined> {
  const row = await engine.db
    .selectFrom('route')
    .innerJoin('price_version', 'price_version.model_id', 'route.model_id')
    .select(['route.model_id', 'price_version.output_nano'])
    .where('route.group_id', '=', 'default')
    .orderBy('price_version.output_nano')
    .limit(1)
    .executeTakeFirst()
  return row?.model_id
}
