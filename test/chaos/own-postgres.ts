import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { embeddedBinaries } from '../../tools/postgres/embedded-binaries.mjs'
import { startServer } from '../../tools/postgres/start-server.mjs'
import { systemBinaries } from '../../tools/postgres/system-binaries.mjs'
import { eventually } from '../support/eventually.ts'
import { missingPart } from '../support/missing-part.ts'

/** A server that belongs to one test alone, which may do to it what it likes. */
export interface OwnPostgres {
  readonly url: string
  /** Ends it: in order (`SIGINT`), or as a crash does (`SIGQUIT`). Resolves when it is gone. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  startAgain(): Promise<void>
  /** All of its processes stand still: it takes connections and never answers. */
  pause(): void
  goOn(): void
  remove(): Promise<void>
}

/** Undefined, and said loudly, where there is no Postgres to start. */
export async function startOwnPostgres(name: string): Promise<OwnPostgres | undefined> {
  const binaries = systemBinaries() ?? embeddedBinaries()
  if (!binaries) {
    missingPart(name, 'no Postgres of its own can be started')
    return undefined
  }
  const server = await startServer(binaries)
  const postmaster = (): number =>
    Number(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const pid of familyOf(postmaster())) process.kill(pid, signal)
  }
  return {
    url: server.url,
    end: async (signal) => {
      const pid = postmaster()
      process.kill(pid, signal)
      await eventually('the server is gone', () => !isThere(pid))
    },
    startAgain: server.startAgain,
    pause: () => signalAll('SIGSTOP'),
    goOn: () => signalAll('SIGCONT'),
    remove: server.stop,
  }
}

/** The parent first: once it stands still it makes no more children. */
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
    // A process that has ended and that nobody has asked after is gone as well.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
