import { readFact } from '../store/changes/facts.ts'
import type { Engine } from '../store/engine.ts'
import { floorFact } from './usage-hour-sql.ts'

/** The time from which the log is complete; older rows may have been deleted because of their age. */
export async function usageFloorMs({ db }: Engine): Promise<number> {
  return Number((await readFact(db, floorFact)) ?? 0)
}
