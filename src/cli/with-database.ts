import { type OpenDatabase, openDatabase } from '../app/database/open-database.ts'
import { forBackgroundWork } from '../store/engine.ts'
import type { CommandCall } from './command.ts'

/** Opens the database for one command and always closes it. */
export async function withDatabase<Value>(
  call: CommandCall,
  work: (database: OpenDatabase) => Promise<Value>,
): Promise<Value> {
  const database = await openDatabase(call.config, call.context.nowMs())
  for (const note of database.notes) call.context.stderr(`${note}\n`)
  try {
    return await work({ ...database, engine: forBackgroundWork(database.engine) })
  } finally {
    await database.engine.close()
  }
}
