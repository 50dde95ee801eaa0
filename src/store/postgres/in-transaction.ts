import type { PooledConnection, PostgresPool } from './postgres-pool.ts'

export async function inTransaction<T>(
  pool: PostgresPool,
  work: (connection: PooledConnection) => Promise<T>,
): Promise<T> {
  const connection = await pool.acquire()
  try {
    await connection.run(connection.begin)
    const result = await work(connection)
    await connection.run('COMMIT')
    return result
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    connection.release()
  }
}
