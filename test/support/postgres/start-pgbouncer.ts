import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { serverAccount } from '../../../tools/postgres/server-account.mjs'
import { makeServerFolder } from '../../../tools/postgres/server-folder.mjs'
import { stopServer } from '../../../tools/postgres/stop-server.mjs'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../eventually.ts'
import { missingPart } from '../missing-part.ts'

/** The program; without one the tests called `name` are reported as missing. */
export function pgbouncerPath(name: string): string | undefined {
  const path = process.env['TEST_PGBOUNCER'] ?? '/usr/sbin/pgbouncer'
  if (existsSync(path)) return path
  missingPart(name, process.env['TEST_PGBOUNCER_MISSING'] ?? 'no PgBouncer; set TEST_PGBOUNCER')
  return undefined
}

export interface TestPooler {
  /** The URL of the same database through the pooler. */
  urlOf(databaseUrl: string): string
  /** Ends the pooler at once, with all connections of its clients. */
  kill(): Promise<void>
  start(): Promise<void>
  /** The pooler keeps its connections and forwards nothing. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export interface PoolerOptions {
  /** Connections to the server for each database. */
  readonly poolSize: number
  /** Further lines of the configuration. */
  readonly settings?: readonly string[]
}

/** A PgBouncer in transaction mode in front of a server. */
export async function startPgbouncer(
  path: string,
  serverUrl: string,
  { poolSize, settings = [] }: PoolerOptions,
): Promise<TestPooler> {
  const account = serverAccount()
  const folder = makeServerFolder(account)
  const port = Number(await freePort())
  const server = new URL(serverUrl)
  const secret = server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`
  const target = `host=${server.hostname} port=${server.port || 5432} user=${server.username}${secret}`
  const config = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = ${target}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 200',
    // After an error of the server the pooler waits before it connects again; by default 15 s.
    'server_login_retry = 1',
    ...settings,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o644 })
  const launch = () => spawn(path, ['-q', config], { cwd: folder, stdio: 'ignore', ...account })
  let child = launch()
  const isReady = () => eventually('PgBouncer listens', () => canConnect(port))
  await isReady()
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    urlOf: (databaseUrl) => {
      const url = new URL(databaseUrl)
      url.hostname = '127.0.0.1'
      url.port = String(port)
      return url.href
    },
    kill,
    start: async () => {
      child = launch()
      await isReady()
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await kill()
      await stopServer(folder)
    },
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
