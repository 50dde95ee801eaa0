import type { Snapshot } from '../engine/snapshot.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { runSql } from './run-sql.ts'

const cursor = 'snapshot_walk'

/** How long the reader may do nothing, for example because its disk is slow, before the server ends the transaction. */
const idleMs = 300_000

/** One transaction that sees the database as it was at its first statement. It takes no lock that a writer needs. */
export async function readPostgresSnapshot<Value>(
  pool: PostgresPool,
  work: (snapshot: Snapshot) => Promise<Value>,
): Promise<Value> {
  const connection = await pool.acquire()
  try {
    await connection.run(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
    )
    return await work({
      rows: async (sql) => (await runSql(connection, sql)).rows,
      walk: async (sql) => {
        await connection.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`)
        return {
          next: async (rowsMax) => {
            const { rows } = await runSql(connection, `FETCH ${rowsMax} FROM ${cursor}`)
            if (rows.length === 0) await connection.run(`CLOSE ${cursor}`)
            return rows
          },
        }
      },
    })
  } finally {
    await connection.run('ROLLBACK').catch(() => undefined)
    connection.release()
  }
}
