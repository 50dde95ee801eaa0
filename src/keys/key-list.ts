import { sql } from 'kysely'
import type { Nano } from '../core/money.ts'
import type { Engine } from '../store/engine.ts'
import { readJsonList } from '../store/json-list.ts'
import { likePattern } from '../store/like-pattern.ts'
import type { ApiKeyTable } from '../store/tables.ts'

/** A key as lists show it: never its value, never its hash. */
export interface KeyListing {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly hint: string
  readonly groups: readonly string[]
  readonly models: readonly string[] | undefined
  readonly addresses: readonly string[] | undefined
  readonly quotaNano: Nano | undefined
  readonly spentNano: Nano
  readonly expiresAtMs: number | undefined
  readonly isEnabled: boolean
  readonly createdAtMs: number
}

const listed = [
  'id',
  'account_id',
  'name',
  'value_hint',
  'groups',
  'models',
  'addresses',
  'quota_nano',
  'spent_nano',
  'expires_at',
  'enabled',
  'created_at',
] as const

/** A page of keys in order of id, from after `afterId`, of one account or of all. */
export async function listKeys(
  engine: Engine,
  page: {
    accountIds?: readonly string[] | undefined
    afterId?: string | undefined
    /** A part of the name or of the hint, whatever the case of its letters. */
    search?: string | undefined
    rowsMax: number
  },
): Promise<KeyListing[]> {
  // An empty list in SQL is an error on one engine; of no accounts there are no keys.
  if (page.accountIds?.length === 0) return []
  let query = engine.db.selectFrom('api_key').select(listed).where('deleted_at', 'is', null)
  if (page.accountIds !== undefined) query = query.where('account_id', 'in', page.accountIds)
  if (page.afterId !== undefined) query = query.where('id', '>', page.afterId)
  if (page.search !== undefined) {
    const found = page.accountIds === undefined ? idsFound(engine, page, page.search) : undefined
    query = found ? query.where('id', 'in', found) : query.where(fits(page.search))
  }
  const rows = await query.orderBy('id').limit(page.rowsMax).execute()
  return rows.map(listingOf)
}

function fits(search: string) {
  return sql<boolean>`search_text LIKE ${likePattern(search)} ESCAPE '!'`
}

/** Among all keys an index that has what is searched is gone through: the keys themselves are ten times as large. */
function idsFound(
  { db }: Engine,
  page: { readonly afterId?: string | undefined; readonly rowsMax: number },
  search: string,
) {
  const query = db.selectFrom('api_key').select('id').where('deleted_at', 'is', null)
  const rest = page.afterId === undefined ? query : query.where('id', '>', page.afterId)
  return rest.where(fits(search)).orderBy('id').limit(page.rowsMax)
}

/** Undefined when there is no such key, or it is deleted. */
export async function findKey(db: Engine['db'], id: string): Promise<KeyListing | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select(listed)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && listingOf(row)
}

function listingOf(row: Pick<ApiKeyTable, (typeof listed)[number]>): KeyListing {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    hint: row.value_hint,
    groups: readJsonList(row.groups),
    models: row.models === null ? undefined : readJsonList(row.models),
    addresses: row.addresses === null ? undefined : readJsonList(row.addresses),
    quotaNano: row.quota_nano ?? undefined,
    spentNano: row.spent_nano,
    expiresAtMs: row.expires_at ?? undefined,
    isEnabled: row.enabled === 1,
    createdAtMs: row.created_at,
  }
}
