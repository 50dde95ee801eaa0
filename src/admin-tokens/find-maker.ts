import type { Engine } from '../store/engine.ts'

/** The user who made the token; undefined for a token of the command line. */
export async function findMakerId(db: Engine['db'], tokenId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('admin_token')
    .select('maker_id')
    .where('id', '=', tokenId)
    .executeTakeFirst()
  return row?.maker_id ?? undefined
}
