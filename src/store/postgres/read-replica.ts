import { DatabaseTimeout, RefusedStoreError, type ReplicaState } from '../engine.ts'
import { closeSeconds } from './limits.ts'
import type { SqlConnection, SqlPool } from './postgres-pool.ts'
import { runSql } from './run-sql.ts'

/** How old the last check may be when a query begins. */
const checkEveryMs = 1_000
/** After a failure the primary answers for this long. */
const retryAfterMs = 10_000
/** The limit for one check. */
const checkMs = 2_000
/** A replica that is further behind is not used. */
const behindMsMax = 5_000
/** Remembered positions of the primary: enough for `behindMsMax` at one check per second. */
const marksMax = 8

export interface ReplicaDeps {
  readonly primary: SqlPool
  /** Opens connections to the replica; rejects if the server cannot be reached. */
  readonly open: (url: string) => Promise<OpenReplica>
  readonly monotonicMs: () => number
}

export interface OpenReplica extends SqlPool {
  close(timeoutSeconds: number): Promise<void>
}

/** A position in the log of the primary, and when the primary was there. */
interface Mark {
  readonly atMs: number
  readonly position: bigint
}

/**
 * A server that follows the primary and only reads. A query that may be some seconds behind uses this server while it
 * keeps up, and the primary otherwise. There is no timer: a query checks first if the last check is too old.
 */
export class ReadReplica implements SqlPool {
  readonly #deps: ReplicaDeps
  #url: string
  #state: ReplicaState = 'unused'
  #nextCheckMs = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined
  #opening: Promise<OpenReplica> | undefined
  #marks: Mark[] = []

  constructor(url: string, deps: ReplicaDeps) {
    this.#url = url
    this.#deps = deps
  }

  get state(): ReplicaState {
    return this.#state
  }

  async acquire(): Promise<SqlConnection> {
    if (this.#deps.monotonicMs() >= this.#nextCheckMs) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined
      })
      await this.#checking
    }
    if (this.#state !== 'used') return this.#deps.primary.acquire()
    try {
      const connection = await (await this.#open()).acquire()
      return new ReadConnection(connection, () => this.#replace())
    } catch {
      return this.#replace()
    }
  }

  /** The next query checks the server again. Running queries may finish. */
  changeUrl(url: string): void {
    this.#url = url
    this.#nextCheckMs = Number.NEGATIVE_INFINITY
    this.#leave(closeSeconds)
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.close(0)
  }

  #leave(timeoutSeconds: number): void {
    this.#opening?.then((opened) => opened.close(timeoutSeconds)).catch(() => undefined)
    this.#opening = undefined
  }

  #open(): Promise<OpenReplica> {
    this.#opening ??= this.#deps.open(this.#url)
    return this.#opening
  }

  /** The primary instead of a replica that has failed. */
  #replace(): Promise<SqlConnection> {
    this.#fail()
    return this.#deps.primary.acquire()
  }

  #fail(): void {
    this.#state = 'unreachable'
    this.#nextCheckMs = this.#deps.monotonicMs() + retryAfterMs
  }

  async #check(): Promise<void> {
    try {
      this.#state = await withTimeout(checkMs, this.#compare())
      this.#nextCheckMs = this.#deps.monotonicMs() + checkEveryMs
    } catch {
      // The next check opens the server again.
      this.#leave(0)
      this.#fail()
    }
  }

  /** The age of what the replica has is at most the age of the newest mark that the replica has reached. */
  async #compare(): Promise<ReplicaState> {
    const { primary, monotonicMs } = this.#deps
    const atMs = monotonicMs()
    const [here, there] = await Promise.all([
      ask(primary, 'SELECT CAST(pg_current_wal_lsn() AS TEXT) AS lsn'),
      this.#open().then((replica) =>
        ask(
          replica,
          'SELECT CAST(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END AS TEXT) AS lsn',
        ),
      ),
    ])
    if (here === undefined || there === undefined) return 'promoted'
    this.#marks = [...this.#marks, { atMs, position: here }].slice(-marksMax)
    const reached = this.#marks.findLast(({ position }) => position <= there)
    const isCurrent = reached !== undefined && monotonicMs() - reached.atMs <= behindMsMax
    return isCurrent ? 'used' : 'behind'
  }
}

/** A statement that fails on the replica runs on the primary: a standby cancels queries that block replication. */
class ReadConnection implements SqlConnection {
  #connection: SqlConnection
  readonly #replace: () => Promise<SqlConnection>
  #isReplaced = false

  constructor(connection: SqlConnection, replace: () => Promise<SqlConnection>) {
    this.#connection = connection
    this.#replace = replace
  }

  get begin(): string {
    throw new Error('A read replica has no transactions.')
  }

  async run(...[sql, values, limit]: Parameters<SqlConnection['run']>): Promise<unknown> {
    try {
      return await this.#connection.run(sql, values, limit)
    } catch (error) {
      if (this.#isReplaced || error instanceof RefusedStoreError) throw error
      this.#isReplaced = true
      // The statement took as long as a statement may take. The primary would need as long again.
      if (error instanceof DatabaseTimeout) throw error
      const primary = await this.#replace()
      this.#connection.release()
      this.#connection = primary
      return await primary.run(sql, values, limit)
    }
  }

  release(): void {
    this.#connection.release()
  }
}

async function ask(pool: SqlPool, sql: string): Promise<bigint | undefined> {
  const connection = await pool.acquire()
  try {
    const [row] = (await runSql(connection, sql)).rows
    return readPosition(row?.['lsn'])
  } finally {
    connection.release()
  }
}

/** Postgres writes a position in its log as two hexadecimal numbers: 16/B374D848. */
function readPosition(text: unknown): bigint | undefined {
  const parts = typeof text === 'string' ? /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) : null
  if (!parts) return undefined
  return (BigInt(`0x${parts[1]}`) << 32n) | BigInt(`0x${parts[2]}`)
}

async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
