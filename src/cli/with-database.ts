import { type OpenDatabase, openDatabase } from '../app/database/open-database.ts'
import { guardClock } from '../core/time/guarded-clock.ts'
import { newestTime } from '../ledger/newest-time.ts'
import { forBackgroundWork } from '../store/engine.ts'
import type { CommandCall } from './command.ts'

export interface CommandDatabase extends OpenDatabase {
  /** The time of this machine; never before that of the database, like the time of a gateway. */
  readonly nowMs: () => number
}

/** Opens the database for one command and always closes it. */
export async function withDatabase<Value>(
  call: CommandCall,
  work: (database: CommandDatabase) => Promise<Value>,
): Promise<Value> {
  const { context, config } = call
  const database = await openDatabase(config, context.nowMs())
  for (const note of database.notes) context.stderr(`${note}\n`)
  try {
    const engine = forBackgroundWork(database.engine)
    const machine = { nowMs: context.nowMs, monotonicMs: () => performance.now() }
    const { nowMs } = guardClock(machine, await newestTime(engine), () => undefined)
    return await work({ ...database, engine, nowMs })
  } finally {
    await database.engine.close()
  }
}
