import type { Engine } from '../store/engine.ts'
import { floorFact } from './usage-hour-sql.ts'

/** The moment from which on the log is whole; what is older may have been deleted for its age. */
export async function usageFloorMs({ db }: Engine): Promise<number> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('name', '=', floorFact)
    .executeTakeFirst()
  return Number(row?.value ?? 0)
}
