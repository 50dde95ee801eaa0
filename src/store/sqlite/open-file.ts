import { Database } from 'bun:sqlite'

const busyTimeoutMs = 10_000
const busyPauseMs = 5

/** Keeps the pages that are written to, one index page for each busy key, in memory instead of reading them again. */
const cacheKilobytes = 16_000

/** A page that many batches write to is copied from the log to the file once for all of them. */
const logPagesMax = 4_000

/**
 * For new files; an existing file keeps its page size. With this size, requests of many keys change half as many pages.
 */
const pageBytes = 8_192

/** Opens a connection to a file, which is created if it is opened for writing and does not exist. */
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
 * In WAL mode, readers and other processes continue while one writes; with NORMAL it survives the death of the process.
 * Two processes that switch a new file to WAL at the same moment each hold a lock that the other waits for. SQLite then
 * fails one of them at once, whatever its timeout is, so this function retries.
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

/** Another process has the lock and will release it in a moment. */
export function isBusy(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
