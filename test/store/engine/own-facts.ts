import type { Engine } from '../../../src/store/engine.ts'
import { readerFact } from '../../../src/store/migrations/migrate.ts'

/** The facts that a test has stored, by name, without those of the migrations. */
export async function ownFacts({ db }: Engine): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('fact')
    .selectAll()
    .where('name', '!=', readerFact)
    .orderBy('name')
    .execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
