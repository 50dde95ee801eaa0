import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { embeddedBinaries } from '../../tools/postgres/embedded-binaries.mjs'
import { startServer } from '../../tools/postgres/start-server.mjs'
import { startStandby } from '../../tools/postgres/start-standby.mjs'
import { type PostgresBinaries, systemBinaries } from '../../tools/postgres/system-binaries.mjs'
import { eventually } from '../support/eventually.ts'
import { missingPart } from '../support/missing-part.ts'

/** A server for a single test, which may stop and kill it. */
export interface OwnPostgres {
  readonly url: string
  /** Stops the server: cleanly (`SIGINT`) or like a crash (`SIGQUIT`). Resolves when it has ended. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Kills all processes of the server at once, like a power failure. */
  kill(): Promise<void>
  startAgain(): Promise<void>
  /** Suspends all processes: the server accepts connections and never answers. */
  pause(): void
  goOn(): void
  remove(): Promise<void>
}

/** A server with a standby. */
export interface OwnPair {
  readonly primary: OwnPostgres
  readonly standby: OwnPostgres
}

/** Undefined where there is no Postgres to start; the missing program is reported. */
export async function startOwnPair(name: string): Promise<OwnPair | undefined> {
  const binaries = ownBinaries(name)
  if (!binaries) return undefined
  const server = await startServer(binaries, { hasStandby: true })
  const primary = ownPostgres(server)
  await primary.end('SIGINT')
  const copy = await startStandby(binaries, server)
  return { primary, standby: ownPostgres(copy) }
}

/** Undefined where there is no Postgres to start; the missing program is reported. */
export async function startOwnPostgres(name: string): Promise<OwnPostgres | undefined> {
  const binaries = ownBinaries(name)
  return binaries && ownPostgres(await startServer(binaries))
}

function ownBinaries(name: string): PostgresBinaries | undefined {
  const binaries = systemBinaries() ?? embeddedBinaries()
  if (!binaries) missingPart(name, 'no Postgres of its own can be started')
  return binaries
}

interface StartedServer {
  readonly url: string
  readonly folder: string
  readonly startAgain: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A process of the server may end by itself, as soon as the first one of them is gone. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (isThere(pid)) throw error
  }
}

function ownPostgres(server: StartedServer): OwnPostgres {
  const postmaster = (): number =>
    Number(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): number[] => {
    const pids = familyOf(postmaster())
    for (const pid of pids) signalIfThere(pid, signal)
    return pids
  }
  const gone = (pids: readonly number[]) =>
    eventually('the server is gone', () => !pids.some(isThere))
  return {
    url: server.url,
    end: async (signal) => {
      const pid = postmaster()
      process.kill(pid, signal)
      await gone([pid])
    },
    kill: async () => {
      await gone(signalAll('SIGKILL'))
    },
    startAgain: server.startAgain,
    pause: () => void signalAll('SIGSTOP'),
    goOn: () => void signalAll('SIGCONT'),
    remove: server.stop,
  }
}

/** The parent first: once it is suspended, it starts no more children. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid)
  return [pid, ...children]
}

function parentOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    // A zombie process counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
