import type { Engine } from '../../src/store/engine.ts'
import { readerFact } from '../../src/store/migrate.ts'

/** The facts that a test has stored, by name: all but what the migration stores. */
export async function ownFacts({ db }: Engine): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('fact')
    .selectAll()
    .where('name', '!=', readerFact)
    .orderBy('name')
    .execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
