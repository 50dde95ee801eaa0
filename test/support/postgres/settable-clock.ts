import { SQL } from 'bun'

/** A clock of one database that can be set. It then runs like the true clock. */
export interface SettableClock {
  /** Sets the clock to this time of the present day, in UTC, or of a later day. */
  set(atMs: number): Promise<void>
  nowMs(): Promise<number>
  close(): Promise<void>
}

const clock = `
  CREATE SCHEMA test_time;
  CREATE TABLE test_time.shift (ahead_ms BIGINT NOT NULL);
  INSERT INTO test_time.shift VALUES (0);
  CREATE FUNCTION test_time.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + ahead_ms * INTERVAL ''1 millisecond'' FROM test_time.shift'`

/** Sessions that begin afterwards find this `clock_timestamp` before the one of Postgres. */
export async function giveSettableClock(databaseUrl: string): Promise<SettableClock> {
  const database = new SQL(databaseUrl, { max: 1 })
  await database.unsafe(clock)
  const name = new URL(databaseUrl).pathname.slice(1)
  await database.unsafe(`ALTER DATABASE ${name} SET search_path = public, test_time, pg_catalog`)
  return {
    set: async (atMs) => {
      await database`UPDATE test_time.shift SET ahead_ms =
        ${atMs}::bigint - CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) * 1000 AS BIGINT)`
    },
    nowMs: async () => {
      const [row] = await database`
        SELECT CAST(EXTRACT(EPOCH FROM test_time.clock_timestamp()) * 1000 AS BIGINT) AS now_ms`
      return Number(row.now_ms)
    },
    close: () => database.close(),
  }
}
