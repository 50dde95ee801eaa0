import { namesOfTokens } from '../../../admin-tokens/token-store.ts'
import type { Engine } from '../../../store/engine.ts'
import { isObject } from '../../../wire/json.ts'
import type { Json } from '../../contract.ts'

interface Subject {
  readonly action: string
  readonly subject: string
  readonly before: Json
  readonly after: Json
}

type Names = ReadonlyMap<string, string>

/** Display names of the subjects of audit rows, in the same order; null if the id is the name. */
export async function subjectNames(
  { db }: Engine,
  rows: readonly Subject[],
): Promise<(string | null)[]> {
  const idsOf = (...kinds: readonly string[]) => [
    ...new Set(rows.filter((row) => kinds.includes(kindOf(row))).map(({ subject }) => subject)),
  ]
  const find = async (
    ids: readonly string[],
    select: (ids: readonly string[]) => Promise<readonly { id: string; name: string }[]>,
  ): Promise<Names> =>
    new Map(ids.length === 0 ? [] : (await select(ids)).map(({ id, name }) => [id, name]))
  const [keys, accounts, credentials, users, tokens] = await Promise.all([
    find(idsOf('key'), (ids) =>
      db.selectFrom('api_key').select(['id', 'name']).where('id', 'in', ids).execute(),
    ),
    find(idsOf('account', 'member'), (ids) =>
      db.selectFrom('account').select(['id', 'name']).where('id', 'in', ids).execute(),
    ),
    find(idsOf('credential'), (ids) =>
      db.selectFrom('upstream_credential').select(['id', 'name']).where('id', 'in', ids).execute(),
    ),
    find(idsOf('user', 'session'), (ids) =>
      db
        .selectFrom('console_user')
        .select(({ fn }) => ['id', fn.coalesce('invited_email', 'email').as('name')])
        .where('id', 'in', ids)
        .execute(),
    ),
    namesOfTokens(db, idsOf('token')),
  ])
  const known: Readonly<Record<string, Names>> = {
    key: keys,
    account: accounts,
    member: accounts,
    credential: credentials,
    user: users,
    session: users,
    token: tokens,
  }
  return rows.map((row) => known[kindOf(row)]?.get(row.subject) ?? nameInRow(row))
}

function kindOf({ action }: Subject): string {
  return action.split('.')[0] ?? ''
}

/** The row itself may contain the name of a deleted subject. The name in a row about a user is that of a passkey. */
function nameInRow(row: Subject): string | null {
  const isOfUser = kindOf(row) === 'user'
  for (const values of [row.after, row.before]) {
    if (!isObject(values)) continue
    const name = isOfUser ? values['email'] : (values['name'] ?? values['email'])
    if (typeof name === 'string') return name
  }
  return null
}
