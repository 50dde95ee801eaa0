import { SQL } from 'bun'
import { ConnectionStale } from '../engine.ts'
import { beginOf, connect, type PoolLimits, type PostgresServer } from './connect.ts'
import { PostgresConnections } from './postgres-connections.ts'

/** How long a host may take to say whether it accepts writes. The others do not wait longer for it. */
const answerMs = 2_000

/** The timeline of a host that accepts writes, and null for any other. A promoted standby begins a new timeline. */
const askTimeline = `SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN NULL
  ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END AS timeline`

interface HostAnswer {
  readonly url: string
  readonly timeline: string
}

/**
 * Opens connections to the host that accepts writes. A former primary that comes back after a failover accepts writes
 * too, until somebody stops it. Its timeline is older, so it is not used while the new one answers, and not afterwards
 * either.
 */
export class PostgresHosts {
  #server: PostgresServer
  #newestTimeline = ''
  #used = ''
  #finding: Promise<string> | undefined

  constructor(server: PostgresServer) {
    this.#server = server
  }

  get hasSessions(): boolean {
    return this.#server.hasSessions
  }

  /** For connections that are opened from now on. */
  use(server: PostgresServer): void {
    this.#server = server
  }

  /** How the database is reached, for the operator; undefined for the usual way, one server without a pooler. */
  get note(): string | undefined {
    const { urls } = this.#server
    const notes = [
      ...(urls.length > 1 ? [`${hostOf(this.#used)} of ${urls.length} hosts accepts writes`] : []),
      ...(this.hasSessions ? [] : ['reached through a pooler, changes are polled']),
    ]
    return notes.length === 0 ? undefined : notes.join(', ')
  }

  /** One connection. */
  async connect(limits: PoolLimits): Promise<SQL> {
    return connect(await this.find(), this.hasSessions, limits)
  }

  /** All connections of a pool, to the same host. */
  async open(limits: PoolLimits): Promise<PostgresConnections> {
    const url = await this.find()
    const { connectionsMax: max, connectionsAhead: ahead = 1 } = limits
    return new PostgresConnections({ max, ahead }, () => connect(url, this.hasSessions, limits))
  }

  begin(limits: PoolLimits): string {
    return beginOf(this.hasSessions, limits)
  }

  /** The URL of the host to use. A single host is used as it is. */
  async find(): Promise<string> {
    const [first = '', ...others] = this.#server.urls
    if (others.length === 0) return first
    this.#finding ??= this.#askAll().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  async #askAll(): Promise<string> {
    const { urls } = this.#server
    const outcomes = await Promise.allSettled(urls.map(askHost))
    const answers = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    let newest: HostAnswer | undefined
    for (const answer of answers) if (answer.timeline > (newest?.timeline ?? '')) newest = answer
    if (newest && newest.timeline >= this.#newestTimeline) {
      this.#newestTimeline = newest.timeline
      this.#used = newest.url
      return newest.url
    }
    const reasons = outcomes.map((each, index) => {
      const why = each.status === 'fulfilled' ? describe(each.value) : messageOf(each.reason)
      return `${hostOf(urls[index] ?? '')}: ${why}`
    })
    throw new ConnectionStale(`No host of the database accepts writes (${reasons.join('; ')}).`)
  }
}

async function askHost(url: string): Promise<HostAnswer> {
  const sql = new SQL(url, { max: 1, prepare: false, connectionTimeout: answerMs / 1_000 })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer')), answerMs)
  const answering = sql.unsafe(askTimeline)
  answering.catch(() => undefined)
  try {
    const [row] = (await Promise.race([answering, late.promise])) as { timeline: string | null }[]
    return { url, timeline: row?.timeline ?? '' }
  } finally {
    clearTimeout(timer)
    sql.close({ timeout: 0 }).catch(() => undefined)
  }
}

function describe({ timeline }: HostAnswer): string {
  return timeline === '' ? 'only reads' : `the former primary, on timeline ${timeline}`
}

/** Without user and password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
