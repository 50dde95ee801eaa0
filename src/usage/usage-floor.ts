import type { Engine } from '../store/engine.ts'
import { readFact } from '../store/facts.ts'
import { floorFact } from './usage-hour-sql.ts'

/** The moment from which on the log is whole; what is older may have been deleted for its age. */
export async function usageFloorMs({ db }: Engine): Promise<number> {
  return Number((await readFact(db, floorFact)) ?? 0)
}
