import type { ReservedSQL, SQL } from 'bun'
import { endSession } from './end-session.ts'
import { isReadOnlySession, readPostgresError } from './postgres-errors.ts'

export async function inTransaction<T>(
  sql: SQL,
  work: (connection: ReservedSQL) => Promise<T>,
): Promise<T> {
  let connection: ReservedSQL | undefined
  try {
    connection = await sql.reserve()
    await connection.unsafe('BEGIN')
    const result = await work(connection)
    await connection.unsafe('COMMIT')
    return result
  } catch (error) {
    await connection?.unsafe('ROLLBACK').catch(() => undefined)
    if (connection && isReadOnlySession(error)) await endSession(connection)
    throw readPostgresError(error)
  } finally {
    await connection?.release()
  }
}
