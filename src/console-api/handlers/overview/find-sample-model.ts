import { listKeys } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../routes/route.ts'

const keysLookedAtMax = 20

/** A model that a key in scope can call, so that the example on an empty page works. */
export async function findSampleModel(
  engine: Engine,
  { accountIds, own }: Scope,
): Promise<string | null> {
  if (accountIds?.length === 0) return null
  const keys = await listKeys(engine, { accountIds, own, rowsMax: keysLookedAtMax })
  for (const { groups, models, isEnabled } of keys) {
    if (!isEnabled || groups.length === 0 || models?.length === 0) continue
    const query = engine.db.selectFrom('route').select('model_id').where('group_id', 'in', groups)
    const allowed = models === null ? query : query.where('model_id', 'in', models)
    const row = await allowed.orderBy('model_id').limit(1).executeTakeFirst()
    if (row) return row.model_id
  }
  return null
}
