import { sql } from 'kysely'
import { newId, type RandomBytes } from '../core/id.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type AdminToken, isExpired, tokenColumns, tokenOfRow } from './admin-token.ts'
import type { TokenSettings } from './definition/token.ts'
import { mayHaveToken } from './find-token.ts'
import { limitToCreator, TokenRefused } from './limit-to-creator.ts'
import { actorOfToken, hashTokenValue, mintTokenValue, tokenHint } from './token-value.ts'

/** The limit of tokens of one account, or of the whole gateway, that are neither revoked nor expired. */
export const liveTokensMax = 1_000

export interface TokenStoreDeps {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
}

/** The creator of a token. The transaction that creates the token checks the creator's rights. */
export type TokenCreator =
  | { readonly kind: 'command-line'; readonly actor: string }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'token'; readonly tokenId: string }

interface Ancestry {
  readonly made_by: string
  readonly maker_id: string | null
  readonly parent_id: string | null
}

/** Creates a token. Its value is shown to the creator once; the database stores a keyed hash. Throws `TokenRefused`. */
export async function createToken(
  writing: Writing,
  deps: TokenStoreDeps,
  requested: TokenSettings,
  creator: TokenCreator,
): Promise<{ readonly token: AdminToken; readonly value: string }> {
  const { settings, ancestry } = await settle(writing, deps.nowMs, requested, creator)
  await checkSettings(writing, deps.nowMs, settings)
  const value = mintTokenValue(deps.random)
  const row = {
    id: newId('tok', deps.random),
    name: settings.name,
    value_hint: tokenHint(value),
    scopes: JSON.stringify(settings.scopes),
    account_id: settings.accountId,
    addresses: settings.addresses === null ? null : JSON.stringify(settings.addresses),
    expires_at: settings.expiresAt,
    ...ancestry,
    created_at: deps.nowMs,
    used_at: null,
    used_address: null,
    revoked_at: null,
  }
  const value_hash = hashTokenValue(deps.vault, value)
  await writing.tx
    .insertInto('admin_token')
    .values({ ...row, value_hash })
    .execute()
  return { token: tokenOfRow(row), value }
}

async function settle(
  { tx }: Writing,
  nowMs: number,
  requested: TokenSettings,
  creator: TokenCreator,
): Promise<{ readonly settings: TokenSettings; readonly ancestry: Ancestry }> {
  switch (creator.kind) {
    case 'command-line':
      return {
        settings: requested,
        ancestry: { made_by: creator.actor, maker_id: null, parent_id: null },
      }
    case 'user': {
      await checkUser(tx, creator.userId, requested.accountId)
      const ancestry = { made_by: creator.userId, maker_id: creator.userId, parent_id: null }
      return { settings: requested, ancestry }
    }
    case 'token': {
      const parent = await readToken(tx, creator.tokenId)
      if (!parent || parent.revokedAtMs !== undefined || isExpired(parent, nowMs)) {
        throw new TokenRefused('maker_gone')
      }
      const settings = limitToCreator(parent, requested)
      if (parent.creatorId !== undefined) await checkUser(tx, parent.creatorId, settings.accountId)
      return {
        settings,
        ancestry: {
          made_by: actorOfToken(parent.id),
          maker_id: parent.creatorId ?? null,
          parent_id: parent.id,
        },
      }
    }
  }
}

async function checkUser(
  db: Engine['db'],
  userId: string,
  accountId: string | null,
): Promise<void> {
  const user = await db
    .selectFrom('console_user as u')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').on('m.account_id', '=', accountId ?? ''),
    )
    .select(['u.role', 'u.suspended', 'u.invited_to', 'm.role as member_role'])
    .where('u.id', '=', userId)
    .executeTakeFirst()
  if (user?.suspended !== 0) throw new TokenRefused('maker_gone')
  const { role, suspended, invited_to: invitedTo, member_role: memberRole } = user
  const creator = { role, suspended, invitedTo, memberRole }
  if (mayHaveToken(creator, accountId ?? undefined)) return
  throw new TokenRefused('account_not_owned', 'accountId')
}

async function checkSettings(
  { tx }: Writing,
  nowMs: number,
  { accountId, expiresAt }: TokenSettings,
): Promise<void> {
  if (expiresAt !== null && expiresAt <= nowMs) throw new TokenRefused('expiry_past', 'expiresAt')
  if (accountId !== null) {
    const account = tx.selectFrom('account').select('id').where('id', '=', accountId)
    if (!(await account.executeTakeFirst())) throw new TokenRefused('account_unknown', 'accountId')
  }
  const { live } = await tx
    .selectFrom('admin_token')
    .select(({ fn }) => fn.countAll().as('live'))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .executeTakeFirstOrThrow()
  if (Number(live) >= liveTokensMax) throw new TokenRefused('tokens_many')
}

export async function readToken(db: Engine['db'], id: string): Promise<AdminToken | undefined> {
  const row = await db
    .selectFrom('admin_token')
    .select(tokenColumns)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && tokenOfRow(row)
}

/** A page of tokens after a position, newest first, including revoked and expired tokens. */
export async function listTokens(
  db: Engine['db'],
  page: {
    /** Only tokens of these accounts; undefined means all tokens. */
    readonly accountIds?: readonly string[] | undefined
    readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined
    readonly rowsMax: number
  },
): Promise<AdminToken[]> {
  const { accountIds, after, rowsMax } = page
  // An empty list is an SQL error on one engine.
  if (accountIds?.length === 0) return []
  let query = db.selectFrom('admin_token').select(tokenColumns)
  if (accountIds !== undefined) query = query.where('account_id', 'in', accountIds)
  if (after) {
    query = query.where(sql<boolean>`(created_at, id) < (${after.createdAtMs}, ${after.id})`)
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute()
  return rows.map(tokenOfRow)
}

/**
 * Revokes a token, the tokens that it created, and so on: a thief of the token may have created others. Returns the ids
 * of the tokens that were still valid.
 */
export async function revokeToken(
  { tx }: Writing,
  id: string,
  nowMs: number,
): Promise<readonly string[]> {
  const revoked = await tx
    .withRecursive('family(id)', (db) =>
      db
        .selectFrom('admin_token')
        .select('id')
        .where('id', '=', id)
        .union(
          db
            .selectFrom('admin_token as child')
            .innerJoin('family', 'family.id', 'child.parent_id')
            .select('child.id'),
        ),
    )
    .updateTable('admin_token')
    .set({ revoked_at: nowMs })
    .where('revoked_at', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('family').select('family.id'))
    .returning('id')
    .execute()
  return revoked.map((row) => row.id).toSorted()
}

/** The names of tokens in the audit log, by id. */
export async function namesOfTokens(
  db: Engine['db'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('admin_token')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
