import { Database } from 'bun:sqlite'

const busyTimeoutMs = 10_000
const busyPauseMs = 5

/** What is written to, a page of an index for each key that is busy, is kept at hand instead of read again. */
const cacheKilobytes = 16_000

/** A page that many batches write to is brought from the log to the file once for all of them. */
const logPagesMax = 4_000

/** Of a new file; one that is there keeps its own. Half as many pages are changed by requests of many keys. */
const pageBytes = 8_192

/** One connection to a file, which is made when it is to be written to and is not there. */
export function openFile(path: string, readonly: boolean): Database {
  const file = new Database(
    path,
    readonly ? { readonly: true, safeIntegers: true } : { create: true, safeIntegers: true },
  )
  file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  if (readonly) return file
  file.run(`PRAGMA page_size = ${pageBytes}`)
  changeToWal(file)
  file.run('PRAGMA synchronous = NORMAL')
  file.run('PRAGMA foreign_keys = ON')
  file.run(`PRAGMA cache_size = -${cacheKilobytes}`)
  file.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`)
  return file
}

/**
 * WAL lets readers and other processes go on while one writes; with NORMAL it survives the death of the process. Two
 * processes that change a new file to it at the same moment each hold a lock that the other waits for: SQLite then fails
 * one of them at once, whatever its timeout is, so the patience has to be ours.
 */
function changeToWal(file: Database): void {
  const untilMs = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      file.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= untilMs) throw error
      Bun.sleepSync(busyPauseMs)
    }
  }
}

/** Another process has it, and lets go in a moment. */
export function isBusy(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
