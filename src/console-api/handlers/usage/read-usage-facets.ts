import { protocolNames } from '../../../core/protocol-name.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { UsageFacets } from '../../contract.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { visibleAccounts } from '../../visible-accounts.ts'

const lookBackMs = 90 * 24 * hourMs
const keysMax = 1_000

/** Values for the filters of the log. */
export async function readUsageFacets(call: SignedInCall): Promise<JsonAnswer<UsageFacets>> {
  const { deps, scope, session, roles } = call
  const { engine } = deps
  const { accountIds } = scope
  const [accounts, keys, used] = await Promise.all([
    visibleAccounts(engine, session, roles),
    listKeyNames(engine, accountIds),
    accountIds === undefined
      ? wholeCatalogue(engine)
      : usedBy(engine, accountIds, deps.clock.nowMs() - lookBackMs),
  ])
  return { body: { accounts: accounts.map(({ id, name }) => ({ id, name })), keys, ...used } }
}

/** Includes deleted keys: the log still has their rows. */
async function listKeyNames(
  { db }: Engine,
  accountIds: readonly string[] | undefined,
): Promise<UsageFacets['keys']> {
  if (accountIds?.length === 0) return []
  const query = db.selectFrom('api_key').select(['id', 'name', 'account_id'])
  const scoped = accountIds === undefined ? query : query.where('account_id', 'in', accountIds)
  const rows = await scoped.orderBy('id').limit(keysMax).execute()
  return rows.map((row) => ({ id: row.id, name: row.name, accountId: row.account_id }))
}

type Used = Pick<UsageFacets, 'models' | 'groups' | 'protocols'>

/** For administrators: the catalogue, instead of reading the sums of all accounts. */
async function wholeCatalogue({ db }: Engine): Promise<Used> {
  const models = await db.selectFrom('model').select('id').orderBy('id').execute()
  const groups = await db.selectFrom('service_group').select('id').orderBy('id').execute()
  return {
    models: models.map((row) => row.id),
    groups: groups.map((row) => row.id),
    protocols: protocolNames,
  }
}

async function usedBy(
  { db }: Engine,
  accountIds: readonly string[],
  sinceMs: number,
): Promise<Used> {
  if (accountIds.length === 0) return { models: [], groups: [], protocols: [] }
  const rows = await db
    .selectFrom('usage_hour')
    .select(['model', 'group_id', 'protocol'])
    .distinct()
    .where('account_id', 'in', accountIds)
    .where('hour', '>=', sinceMs)
    .execute()
  const sorted = (texts: readonly string[]) => [...new Set(texts)].filter(Boolean).sort()
  return {
    models: sorted(rows.map((row) => row.model)),
    groups: sorted(rows.map((row) => row.group_id)),
    protocols: sorted(rows.map((row) => row.protocol)),
  }
}
