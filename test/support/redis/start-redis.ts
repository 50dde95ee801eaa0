import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../eventually.ts'
import { missingPart } from '../missing-part.ts'

const places = ['/usr/bin/valkey-server', '/usr/bin/redis-server', '/usr/local/bin/redis-server']

/** The server program; without one the tests called `name` are reported as missing. */
export function redisPath(name: string): string | undefined {
  const named = process.env['TEST_REDIS']
  const path = named ?? places.find((place) => existsSync(place))
  if (path !== undefined && existsSync(path)) return path
  missingPart(name, process.env['TEST_REDIS_MISSING'] ?? 'no Redis or Valkey; set TEST_REDIS')
  return undefined
}

export interface TestRedis {
  readonly url: string
  readonly port: number
  /** Ends the server at once. Its data is gone. */
  kill(): Promise<void>
  start(): Promise<void>
  /** The server keeps its connections and answers nothing. */
  pause(): void
  resume(): void
  /** Sends a command on a connection of its own. */
  send(command: string, ...words: string[]): Promise<unknown>
  stop(): Promise<void>
}

export interface RedisOptions {
  readonly password?: string
  /** Certificate and key: the server then speaks only TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** A node of a cluster, which has no slots yet. */
  readonly isInCluster?: boolean
}

/** A separate server without files. */
export async function startRedis(path: string, options: RedisOptions = {}): Promise<TestRedis> {
  const port = Number(await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-'))
  const { password, tls, isInCluster } = options
  const words = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  if (password !== undefined) words.push('--requirepass', password)
  if (isInCluster === true) {
    words.push('--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no')
    words.push('--cluster-port', String(await freePort()), '--cluster-node-timeout', '1000')
  }
  if (tls) {
    const files = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') }
    writeFileSync(files.certificate, tls.certificate)
    writeFileSync(files.key, tls.key)
    words.push('--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no')
    words.push('--tls-cert-file', files.certificate, '--tls-key-file', files.key)
  } else words.push('--port', String(port))
  const spawn = () => Bun.spawn([path, ...words], { stdout: 'ignore', stderr: 'ignore' })
  let child = spawn()
  const isReady = () => eventually('Redis listens', () => canConnect(port))
  await isReady()
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  const send = async (command: string, ...sent: string[]) => {
    const client = new RedisClient(url)
    try {
      return await client.send(command, sent)
    } finally {
      client.close()
    }
  }
  const user = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  const url = `${tls ? 'rediss' : 'redis'}://${user}${tls ? 'localhost' : '127.0.0.1'}:${port}`
  return {
    url,
    port,
    send,
    kill,
    start: async () => {
      child = spawn()
      await isReady()
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
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
