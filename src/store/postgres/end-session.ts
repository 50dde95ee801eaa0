import type { ReservedSQL } from 'bun'

/** Ends the server's side of a connection. The pool opens another in its place; its own `close` waits for ever. */
export async function endSession(connection: ReservedSQL): Promise<void> {
  await connection.unsafe('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
}
