import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { keyStates } from '../core/access/key-state.ts'
import type { Nano } from '../core/money/money.ts'
import type { Engine } from '../store/engine.ts'
import { exactLikePattern, likePattern } from '../store/rows/like-pattern.ts'
import { valuesOf } from '../store/rows/stored-fields.ts'
import type { ApiKeyTable } from '../store/tables/key-tables.ts'
import type { KeyValues } from './definition/key.ts'
import { isRunning, running } from './key-owner.ts'
import { settingColumns } from './setting-columns.ts'

/** A key as lists show it, without its value and its hash. */
export interface KeyListing extends KeyValues {
  readonly id: string
  readonly hint: string
  readonly spentNano: Nano
  readonly createdAtMs: number
  /** Whether it has its value, and an owner who may use it. */
  readonly isRunning: boolean
}

const listed = [
  'id',
  'value_hint',
  'spent_nano',
  'created_at',
  ...Object.values(settingColumns).map(({ column }) => column),
] as const

/** Sorts after every possible expiry. */
const never = Number.MAX_SAFE_INTEGER

/** The columns that keys can be sorted by. Equal keys are sorted by id, so that the order is stable. */
const sortSql = {
  id: sql`id`,
  created: sql`created_at`,
  name: sql`lower(name)`,
  // Keys without an expiry sort last.
  expires: sql`COALESCE(expires_at, ${sql.lit(never)})`,
} as const

export interface KeyOrder {
  readonly sort: keyof typeof sortSql
  readonly isDescending: boolean
}

export const newestFirst: KeyOrder = { sort: 'created', isDescending: true }
const byId: KeyOrder = { sort: 'id', isDescending: false }

/** The sort value of a key. */
export function sortedBy(key: KeyListing, sort: KeyOrder['sort']): string | number {
  switch (sort) {
    case 'id':
      return key.id
    case 'created':
      return key.createdAtMs
    case 'name':
      return key.name
    case 'expires':
      return key.expiresAt ?? never
  }
}

/**
 * A page of keys, of some accounts or of all, sorted by id unless `order` is given. The page starts after the position
 * `after`.
 */
export async function listKeys(
  engine: Engine,
  page: {
    accountIds?: readonly string[] | undefined
    /** In these accounts only the keys of this user. */
    own?: OwnKeys | undefined
    /** Only keys whose value this user may use: service keys and their own. */
    usableBy?: string | undefined
    /** The sort value and the id of the last key of the previous page; see `sortedBy`. */
    after?: { readonly value: string | number; readonly id: string } | undefined
    state?: { readonly is: KeyStateFilter; readonly nowMs: number } | undefined
    /** Only keys that name this group. */
    group?: string | undefined
    kind?: 'personal' | 'service' | undefined
    /** Only keys that belong to this user. */
    ownerId?: string | undefined
    /** A part of the name or of the hint; case-insensitive. */
    search?: string | undefined
    order?: KeyOrder
    rowsMax: number
  },
): Promise<KeyListing[]> {
  const whose = keysOf(page)
  if (whose === 'none') return []
  const { sort, isDescending } = page.order ?? byId
  let query = engine.db
    .selectFrom('api_key')
    .select([...listed, running])
    .where('deleted_at', 'is', null)
  if (whose !== 'all') query = query.where(whose)
  if (page.after !== undefined) {
    const { value, id } = page.after
    const position = sort === 'name' ? sql`lower(${value})` : sql`${value}`
    query = query.where(
      sql<boolean>`(${sortSql[sort]}, id) ${isDescending ? sql`<` : sql`>`} (${position}, ${id})`,
    )
  }
  if (page.usableBy !== undefined) query = query.where(isUsableBy(page.usableBy))
  if (page.state) query = query.where(isIn(page.state.is, page.state.nowMs))
  if (page.group !== undefined) {
    query = query.where(namesGroup(page.group))
  }
  if (page.kind !== undefined) {
    query = query.where('owner_user_id', page.kind === 'service' ? 'is' : 'is not', null)
  }
  if (page.ownerId !== undefined) query = query.where('owner_user_id', '=', page.ownerId)
  if (page.search !== undefined) {
    query =
      whose === 'all'
        ? query.where('id', 'in', idsFound(engine, page.search))
        : query.where(fits(page.search))
  }
  const direction = isDescending ? 'desc' : 'asc'
  const rows = await query
    .orderBy(sortSql[sort], direction)
    .orderBy('id', direction)
    .limit(page.rowsMax)
    .execute()
  return rows.map(listingOf)
}

export interface OwnKeys {
  readonly userId: string
  readonly accountIds: readonly string[]
}

/** A condition on `api_key`: all keys of some accounts, and of others only those of one user. */
export function keysOf({
  accountIds,
  own,
}: {
  readonly accountIds?: readonly string[] | undefined
  readonly own?: OwnKeys | undefined
}): RawBuilder<boolean> | 'all' | 'none' {
  if (accountIds === undefined) return 'all'
  const ownIds = own?.accountIds ?? []
  const wholeIds = accountIds.filter((id) => !ownIds.includes(id))
  // An empty list is an SQL error on one engine.
  const parts = [
    ...(wholeIds.length === 0 ? [] : [sql`api_key.account_id IN (${sql.join(wholeIds)})`]),
    ...(own === undefined || ownIds.length === 0
      ? []
      : [
          sql`(api_key.owner_user_id = ${own.userId} AND api_key.account_id IN (${sql.join(ownIds)}))`,
        ]),
  ]
  return parts.length === 0 ? 'none' : sql<boolean>`(${sql.join(parts, sql` OR `)})`
}

/** Whether a key names the group. JSON escapes no character of an id, so a text comparison is enough. */
export function namesGroup(id: string) {
  const [pattern, named] = [exactLikePattern(JSON.stringify(id)), JSON.stringify(id)]
  // On one engine LIKE is case-insensitive; `replace` then checks the few rows that remain.
  return sql<boolean>`(groups LIKE ${pattern} ESCAPE '!' AND replace(groups, ${named}, '') <> groups)`
}

function isUsableBy(userId: string) {
  return sql<boolean>`(api_key.owner_user_id IS NULL OR api_key.owner_user_id = ${userId})`
}

type KeyStateFilter = (typeof keyStates)[number]

function isIn(state: KeyStateFilter, nowMs: number) {
  const hasEnded = sql`(expires_at IS NOT NULL AND expires_at <= ${nowMs})`
  switch (state) {
    case 'enabled':
      return sql<boolean>`(enabled = 1 AND NOT ${hasEnded} AND ${isRunning})`
    case 'disabled':
      return sql<boolean>`(enabled = 0 AND NOT ${hasEnded} AND ${isRunning})`
    case 'expired':
      return sql<boolean>`(${hasEnded} AND ${isRunning})`
    case 'stopped':
      return sql<boolean>`(api_key.owner_user_id IS NOT NULL AND NOT ${isRunning})`
  }
}

function fits(search: string) {
  return sql<boolean>`search_text LIKE ${likePattern(search)} ESCAPE '!'`
}

/** A search over all keys scans an index that contains the search text: the key rows are ten times as large. */
function idsFound({ db }: Engine, search: string) {
  return db.selectFrom('api_key').select('id').where('deleted_at', 'is', null).where(fits(search))
}

/** Returns undefined for a missing or deleted key. */
export async function findKey(db: Engine['db'], id: string): Promise<KeyListing | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select([...listed, running])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && listingOf(row)
}

type ListedRow = Pick<Selectable<ApiKeyTable>, (typeof listed)[number]> & {
  readonly running: number
}

function listingOf(row: ListedRow): KeyListing {
  return {
    id: row.id,
    hint: row.value_hint,
    spentNano: row.spent_nano,
    createdAtMs: row.created_at,
    isRunning: row.running === 1,
    ...valuesOf(settingColumns, row),
  }
}
