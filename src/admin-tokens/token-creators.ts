import type { Engine } from '../store/engine.ts'
import type { AdminToken } from './admin-token.ts'
import { mayHaveToken } from './find-token.ts'

/** The creator of a token, in its current state. */
export interface TokenCreatorDetails {
  readonly kind: 'user' | 'token' | 'command-line'
  /** The email of a user, or the name of a token. */
  readonly name: string | undefined
  /**
   * Whether a reader who sees only the token's account may know the creator: one of the account's members or tokens.
   */
  readonly isOfAccount: boolean
  /** False when the token is refused because its user has lost the right to it. */
  readonly hasRight: boolean
}

/** The creators of these tokens, by token id. One statement finds them all. */
export async function findCreators(
  db: Engine['db'],
  tokens: readonly AdminToken[],
): Promise<ReadonlyMap<string, TokenCreatorDetails>> {
  if (tokens.length === 0) return new Map()
  const rows = await db
    .selectFrom('admin_token as t')
    .leftJoin('console_user as u', 'u.id', 't.maker_id')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 't.maker_id').onRef('m.account_id', '=', 't.account_id'),
    )
    .leftJoin('admin_token as p', 'p.id', 't.parent_id')
    .select(['t.id', 't.account_id', 't.maker_id', 't.parent_id'])
    .select(['p.name as parent_name', 'p.account_id as parent_account'])
    .select(({ fn }) => fn.coalesce('u.invited_email', 'u.email').as('email'))
    .select(['u.role', 'u.suspended', 'u.invited_to', 'm.role as member_role'])
    .where(
      't.id',
      'in',
      tokens.map(({ id }) => id),
    )
    .execute()
  return new Map(
    rows.map((row) => {
      const { role, suspended, invited_to: invitedTo, member_role: memberRole } = row
      const creator = { role, suspended, invitedTo, memberRole }
      const hasRight = row.maker_id === null || mayHaveToken(creator, row.account_id ?? undefined)
      return [row.id, { ...describe(row), hasRight }]
    }),
  )
}

/** The user who made the token; undefined for a token of the command line. */
export async function findCreatorId(
  db: Engine['db'],
  tokenId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('admin_token')
    .select('maker_id')
    .where('id', '=', tokenId)
    .executeTakeFirst()
  return row?.maker_id ?? undefined
}

interface CreatorRow {
  readonly account_id: string | null
  readonly maker_id: string | null
  readonly parent_id: string | null
  readonly parent_name: string | null
  readonly parent_account: string | null
  readonly email: string | null
  readonly role: string | null
  readonly member_role: string | null
}

function describe(row: CreatorRow): Omit<TokenCreatorDetails, 'hasRight'> {
  if (row.parent_id !== null) {
    const isOfAccount = row.account_id !== null && row.parent_account === row.account_id
    return { kind: 'token', name: row.parent_name ?? undefined, isOfAccount }
  }
  if (row.maker_id === null) return { kind: 'command-line', name: undefined, isOfAccount: false }
  // A creator who is not an operator was an owner of the account when they created the token.
  const isOfAccount = row.member_role !== null || row.role !== 'admin'
  return { kind: 'user', name: row.email ?? undefined, isOfAccount }
}
