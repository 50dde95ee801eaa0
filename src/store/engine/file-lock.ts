import { Database } from 'bun:sqlite'

export interface FileLock {
  release(): void
}

/**
 * Locks a file for this process; undefined when another process has the lock. The kernel releases the lock when the
 * process ends, however it ends, and not before: a suspended process keeps it. The lock is SQLite's, because Node has
 * none. The file stays empty and may be renamed while it is locked. Opening and closing it in this process by any other
 * means would release the lock.
 */
export function lockFile(path: string, isMade: boolean): FileLock | undefined {
  let file: Database | undefined
  try {
    file = new Database(path, { readwrite: true, create: isMade })
    file.run('PRAGMA journal_mode = MEMORY')
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file?.close()
    if (isTaken(error) || (!isMade && isMissing(error))) return undefined
    throw error
  }
  const locked = file
  return { release: () => locked.close() }
}

function isTaken(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

function isMissing(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CANTOPEN')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
